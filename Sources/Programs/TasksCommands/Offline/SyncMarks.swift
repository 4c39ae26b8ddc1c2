import FlowModel
import OfflineTables
import Tables
import Terminal

/// The marks that show how local tasks differ from the API's versions.
struct SyncMarks: Sendable {
    private let waiting: Set<String>
    private let conflicts: Set<String>
    private let refused: Set<String>

    init(_ context: SyncContext) async throws {
        waiting = try await context.store.read { try $0.pendingIDs(in: TodoItem.table) }
        let errors = try await context.errors()
        conflicts = Set(errors.filter(\.isConflict).map(\.itemID.text))
        refused = Set(errors.filter { !$0.isConflict }.map(\.itemID.text))
    }

    /// The task's mark (`conflict`, `refused` or `pending`), or `nil` if the API has the same version of the task.
    subscript(_ id: String) -> String? {
        if conflicts.contains(id) { return "conflict" }
        if refused.contains(id) { return "refused" }
        return waiting.contains(id) ? "pending" : nil
    }

    /// Returns the localized word for a mark or an operation, for text output only.
    static func shown(_ word: String) -> String {
        let text: Text? =
            switch word {
            case "conflict": Text("cli.tasks.conflict")
            case "refused": Text("cli.tasks.refused")
            case "pending": Text("cli.tasks.pending")
            case "insert": Text("cli.tasks.insert")
            case "update": Text("cli.tasks.update")
            case "delete": Text("cli.tasks.delete")
            default: nil
            }
        return text?.text ?? word
    }
}
