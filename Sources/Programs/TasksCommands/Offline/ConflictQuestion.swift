import FlowModel
import OAuth
import OfflineTables
import Tables
import Terminal

/// Prompts the user to resolve each conflict in a push.
struct ConflictQuestion: Sendable {
    let terminal: TerminalDevice

    /// The conflict handler for a push, which prompts again if the task changes on the server during a prompt.
    var handler: ConflictHandler { ConflictHandler { try await ask($0) } }

    private func ask(_ conflict: SyncConflict) async throws -> ConflictResolution {
        show(conflict)
        while true {
            let typed = try await terminal.ask(Text("cli.tasks.question").text, echo: true)
            switch typed.reveal().lowercased().first {
            case "m": return .mine
            case "t", "f": return .theirs
            case "d", "e": return .delete
            case "l", "p": return .record
            default: break
            }
        }
    }

    private func show(_ conflict: SyncConflict) {
        let sides = ConflictSides(conflict)
        terminal.show("\(PlainText.line(conflict.operation.itemID.text)): \(sides.reason)\n")
        for line in Output.lines(ConflictText.headings, sides.rows) { terminal.show("\(line)\n") }
    }
}
