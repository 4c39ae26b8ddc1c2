import ArgumentParser
import FlowModel
import Foundation
import Glibc
import OAuth
import ProgramConfiguration
import TablesClient
import Terminal

/// Options of every command of `tasks`.
struct TasksOptions: ParsableArguments {
    @Option(help: .text("help.tasks.tasksOptions.config"), completion: .file(extensions: ["yaml"]))
    var config: String?
    @Option(
        name: .customLong("data-directory"),
        help: .text("help.tasks.tasksOptions.dataDirectory"),
        completion: .directory
    )
    var dataDirectory: String?
    @Option(help: .text("help.tasks.tasksOptions.account")) var account: String?
    @OptionGroup var connection: ConnectionOptions

    /// The paths of this user's files.
    var paths: ProgramPaths {
        ProgramPaths(environment: ProcessInfo.processInfo.environment, effectiveUID: geteuid())
    }

    /// The account that was named for this call.
    var namedAccount: String? {
        account ?? ProcessInfo.processInfo.environment["TASKS_ACCOUNT"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The note of the current account.
    var current: CurrentAccount {
        CurrentAccount(dataDirectory: dataDirectory ?? paths.tasksData)
    }

    /// The configuration, checked; nothing at the usual place is one that says nothing.
    ///
    /// - Throws: 78 after every problem was said on stderr.
    func configuration() throws -> TasksConfiguration {
        let path = config ?? paths.tasksConfiguration
        if config == nil, !FileManager.default.fileExists(atPath: path), let standard = TasksConfiguration.standard {
            return standard
        }
        let (configuration, problems) = TasksConfiguration.load(path: path)
        for problem in problems { Program.complain(PlainText.line("\(problem)")) }
        guard let configuration else {
            throw CommandFailure(.configuration, "configuration", Text("failure.notValid", ["path": path]))
        }
        return configuration
    }
}

extension TasksConfiguration {
    /// The URL of the API.
    func address() throws(CommandFailure) -> APIAddress {
        do throws(APIAddress.Invalid) {
            return try APIAddress(api)
        } catch {
            throw CommandFailure(.configuration, "configuration", Text(error.said))
        }
    }
}
