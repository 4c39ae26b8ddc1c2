import ArgumentParser
import FlowModel
import Foundation
import ProgramConfiguration
import Terminal

struct NetworkOptions: ParsableArguments {
    @Flag(help: .text("help.tasks.networkOptions.offline")) var offline = false

    init() {}

    /// Whether the command may use the API.
    ///
    /// `--offline`, `TASKS_SYNC=manual` and `sync: manual` forbid the use of the API. `TASKS_SYNC` takes precedence
    /// over `sync`.
    ///
    /// - Throws: A failure with exit status 64 if `TASKS_SYNC` is neither `auto` nor `manual`.
    func mayConnect(_ configuration: TasksConfiguration) throws(CommandFailure) -> Bool {
        if offline { return false }
        let text = ProcessInfo.processInfo.environment["TASKS_SYNC"] ?? ""
        guard !text.isEmpty else { return configuration.sync == .auto }
        guard let mode = SyncMode(rawValue: text) else {
            throw .usage(Text("cli.tasks.syncIsAutoOrManual", ["text": text]))
        }
        return mode == .auto
    }
}
