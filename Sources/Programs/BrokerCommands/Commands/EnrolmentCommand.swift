import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// A group of commands that manage one kind of credential.
protocol EnrolmentGroup: ParsableCommand {
    static var credential: EnrolledCredential { get }
}

/// A kind of credential, of which a user has at most one, and the texts of its commands.
struct EnrolledCredential: Sendable {
    struct Change {
        let help: String
        let done: Text
    }

    let type: Credential
    let enrol: Change
    let remove: Change
    let isThere: CommandFailure
    let isMissing: CommandFailure
}

extension CommandFailure {
    static func enrolled(_ text: Text, hint: Text) -> CommandFailure {
        CommandFailure(.denied, "already_enrolled", text, hint: hint)
    }

    static func notEnrolled(_ text: Text, hint: Text) -> CommandFailure {
        CommandFailure(.denied, "not_enrolled", text, hint: hint)
    }
}

struct EnrolCommand<Group: EnrolmentGroup>: DaemonCommand {
    static var configuration: CommandConfiguration { CommandConfiguration("enrol", Group.credential.enrol.help) }

    @OptionGroup var options: EnrolmentOptions
    var connection: ConnectionOptions { options.connection }

    func run(_ correlation: CorrelationID) async throws {
        let credential = Group.credential
        try await options.changing(credential.type, correlation) { broker, account, isEnrolled in
            if isEnrolled { throw credential.isThere }
            return try await broker.call(CredentialEnrol(type: credential.type, account: account))
        }
        try Output.change(credential.enrol.done, of: credential.type, to: "enrolled", asJSON: shared.json)
    }
}

struct UnenrolCommand<Group: EnrolmentGroup>: DaemonCommand {
    static var configuration: CommandConfiguration { CommandConfiguration("remove", Group.credential.remove.help) }

    @OptionGroup var options: EnrolmentOptions
    var connection: ConnectionOptions { options.connection }

    func run(_ correlation: CorrelationID) async throws {
        let credential = Group.credential
        try await options.changing(credential.type, correlation) { broker, account, isEnrolled in
            guard isEnrolled else { throw credential.isMissing }
            return try await broker.call(CredentialRemove(type: credential.type, account: account))
        }
        try Output.change(credential.remove.done, of: credential.type, to: "none", asJSON: shared.json)
    }
}

struct EnrolmentOptions: ParsableArguments {
    @Option(help: .text("help.broker.enrolmentOptions.account")) var account: String?
    @Flag(name: .customLong("password-stdin"), help: .text("help.broker.enrolmentOptions.fromInput"))
    var fromInput = false
    @OptionGroup var connection: ConnectionOptions

    func changing(
        _ type: Credential,
        _ correlation: CorrelationID,
        _ begin: (BrokerClient, _ account: String?, _ isEnrolled: Bool) async throws -> Flow
    ) async throws {
        let questions = Questions(readsInput: fromInput)
        try await connection.withBroker(correlation, asking: questions) { broker in
            let id = try await broker.id(ofAccount: account)
            let credentials = try await broker.call(CredentialList(type: type, account: id))
            _ = try await broker.runFlow(try await begin(broker, id, !credentials.isEmpty))
        }
    }
}

extension BrokerClient {
    /// Returns the id of the account `name`, or `nil` for the default account if `name` is `nil`.
    func id(ofAccount name: String?) async throws -> String? {
        guard let name else { return nil }
        return try await account(named: name, program: "tokenbroker").account
    }
}

extension Output {
    /// Prints the message `done`, or the credential's new state as JSON.
    ///
    /// The JSON object names the provider if `provider` is not `nil`, or else the credential's type.
    static func change(
        _ done: Text,
        of type: Credential,
        at provider: String? = nil,
        to state: JSONValue,
        asJSON: Bool
    ) throws(CommandFailure) {
        guard asJSON else { return try line(done.text) }
        let name: [String: JSONValue] =
            if let provider { ["provider": .string(provider)] } else { ["credential": .string(type.rawValue)] }
        try json(.object(name.merging(["state": state]) { $1 }))
    }
}
