import ArgumentParser
import FlowModel
import Foundation
import ProgramConfiguration
import Terminal

struct NetworkOptions: ParsableArguments {
    @Flag(help: .text("help.tasks.networkOptions.offline")) var offline = false

    init() {}

    /// Whether `--offline`, `TASKS_SYNC` and the setting `sync`, in this order of precedence, permit using the API.
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
