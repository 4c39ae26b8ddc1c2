import ArgumentParser
import BrokerClient
import FlowModel
import Foundation
import Glibc
import OAuth
import ProgramConfiguration
import TablesClient
import Terminal

/// Options of every command of `tasks`.
struct TasksOptions: ParsableArguments {
    @Option(help: .text("help.tasks.tasksOptions.config"), completion: .file(extensions: ["yaml"])) var config: String?
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

    /// The account that is meant: the one that was named, else the current one, else the only one there is.
    func meantAccount(_ broker: BrokerClient) async throws -> AccountSummary {
        try await broker.account(
            named: namedAccount,
            current: current.id,
            wasSignedIn: current.wasSignedIn,
            program: "tasks"
        )
    }

    /// The id of that account for a token; nil leaves it to the broker, which then asks who it is.
    func accountID(_ broker: BrokerClient) async throws -> String? {
        if namedAccount != nil { return try await meantAccount(broker).account }
        guard let id = current.id else { return nil }
        if try await broker.accounts().contains(where: { $0.account == id }) { return id }
        current.clear()
        return nil
    }

    /// The configuration, checked; nothing at the usual place is one that says nothing.
    ///
    /// - Throws: 78 after every problem was said on stderr.
    func configuration() throws -> TasksConfiguration {
        let (configuration, problems) = TasksConfiguration.load(configuration: config, paths: paths)
        for problem in problems { Program.complain(PlainText.line("\(problem)")) }
        guard let configuration else {
            let path = config ?? paths.tasksConfiguration
            throw CommandFailure.configuration(Text("failure.notValid", ["path": path]))
        }
        return configuration
    }
}

/// A command of `tasks`.
protocol TasksSubcommand: DaemonCommand {
    /// Its options, beside those of its own.
    var options: TasksOptions { get }
}

extension TasksSubcommand {
    var connection: ConnectionOptions { options.connection }
}

extension TasksConfiguration {
    /// The URL of the API.
    func address() throws(CommandFailure) -> APIAddress {
        do throws(APIAddress.Invalid) {
            return try APIAddress(api)
        } catch {
            throw CommandFailure.configuration(Text(error.said))
        }
    }
}
