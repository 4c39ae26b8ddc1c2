import ArgumentParser
import BrokerClient
import FlowModel
import Foundation
import Glibc
import OAuth
import ProgramConfiguration
import TablesClient
import Terminal

struct TasksOptions: ParsableArguments {
    @Option(
        help: .text("help.tasks.tasksOptions.config", valueName: "file"),
        completion: .file(extensions: ["yaml"])
    )
    var config: String?
    @Option(
        name: .customLong("data-directory"),
        help: .text("help.tasks.tasksOptions.dataDirectory", valueName: "folder"),
        completion: .directory
    )
    var dataDirectory: String?
    @Option(help: .text("help.tasks.tasksOptions.account")) var account: String?
    @OptionGroup var connection: ConnectionOptions

    var paths: ProgramPaths {
        ProgramPaths(environment: ProcessInfo.processInfo.environment, effectiveUID: geteuid())
    }

    /// The account that the command line or the environment specifies, or `nil` if neither specifies an account.
    var namedAccount: String? {
        account ?? ProcessInfo.processInfo.environment["TASKS_ACCOUNT"].flatMap { $0.isEmpty ? nil : $0 }
    }

    var current: CurrentAccount {
        CurrentAccount(dataDirectory: dataDirectory ?? paths.tasksData)
    }

    /// Returns the specified account or else the current, the default or the only account, in this order.
    func meantAccount(_ broker: BrokerClient) async throws -> AccountSummary {
        try await broker.account(
            named: namedAccount,
            current: current.id,
            wasSignedIn: current.wasSignedIn,
            program: "tasks"
        )
    }

    /// Returns the account's id for a token request, or `nil` to let the broker choose an account or prompt the user.
    func accountID(_ broker: BrokerClient) async throws -> String? {
        if namedAccount != nil { return try await meantAccount(broker).account }
        guard let id = current.id else { return nil }
        if try await broker.accounts().contains(where: { $0.account == id }) { return id }
        current.clear()
        return nil
    }

    /// Reads the configuration or uses the defaults, or prints all problems and throws a failure with exit status 78.
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

protocol TasksSubcommand: DaemonCommand {
    var options: TasksOptions { get }
}

extension TasksSubcommand {
    var connection: ConnectionOptions { options.connection }
}

extension TasksConfiguration {
    func address() throws(CommandFailure) -> APIAddress {
        do throws(APIAddress.Invalid) {
            return try APIAddress(api)
        } catch {
            throw CommandFailure.configuration(Text(error.said))
        }
    }
}
