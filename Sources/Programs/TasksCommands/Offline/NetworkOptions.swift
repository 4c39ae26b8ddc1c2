import ArgumentParser
import FlowModel
import Foundation
import ProgramConfiguration
import Terminal

/// The say of one call in the use of the network.
struct NetworkOptions: ParsableArguments {
    @Flag(help: .text("help.tasks.networkOptions.offline")) var offline = false

    /// Nothing beside what the configuration says.
    init() {}

    /// True if the command may use the API: unless `--offline`, `TASKS_SYNC=manual` or `sync: manual` says otherwise.
    ///
    /// - Throws: 64 for a `TASKS_SYNC` that is neither `auto` nor `manual`.
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
