import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// The accounts at providers outside with which a person can sign in to the one here.
struct ProviderGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provider",
        abstract: "Link your account to those that you have at other services, and sign in with either.",
        subcommands: [ProviderList.self, ProviderAdd.self, ProviderRemove.self]
    )
}

/// Lists the linked accounts.
struct ProviderList: Command {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the services at which an account is linked to yours."
    )

    @Option(help: "The account: its id, its user name, or the beginning of either.") var account: String?
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let answer = try await connection.withBroker(correlation) { broker in
            let id = try await broker.id(ofAccount: account)
            return try await broker.call(CredentialList(type: .federated, account: id))
        }
        if shared.json {
            try Output.json(answer.json)
            return
        }
        try Output.table(
            [BrokerText.providerHeading, .linkedHeading].map(\.text),
            answer.map { [$0.provider ?? "", TimeText.utc($0.enrolledAt)] }
        )
    }
}

/// Links an account at a provider.
struct ProviderAdd: Command {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Link your account at a service: in a browser, prove that this account is yours, then sign in there."
    )

    @Argument(help: "The service, as the daemon's configuration names it.") var name: String
    @Option(help: "The account: its id, its user name, or the beginning of either.") var account: String?
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        try await connection.withBroker(correlation) { broker in
            let id = try await broker.id(ofAccount: account)
            let call = CredentialEnrol(type: .federated, account: id, provider: name)
            _ = try await broker.runFlow(try await broker.call(call))
        }
        try Output.link(name, .providerLinked(name), state: "linked", asJSON: shared.json)
    }
}

/// Takes an account at a provider away.
struct ProviderRemove: Command {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove the account at a service, after the password; what was signed in with it is signed out."
    )

    @Argument(help: "The service, as the daemon's configuration names it.") var name: String
    @OptionGroup var options: EnrolmentOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        try await options.changing(.federated, correlation) { broker, account, _ in
            try await broker.call(CredentialRemove(type: .federated, account: account, provider: name))
        }
        try Output.link(name, .providerUnlinked(name), state: "none", asJSON: shared.json)
    }
}

extension BrokerClient {
    /// The id of the account that is named; nil for the one that is meant where none is.
    fileprivate func id(ofAccount name: String?) async throws -> String? {
        guard let name else { return nil }
        return try await account(named: name, program: "tokenbroker").account
    }
}

extension Output {
    /// Prints what became of the account at a provider.
    fileprivate static func link(
        _ provider: String,
        _ text: BrokerText,
        state: String,
        asJSON: Bool
    ) throws(CommandFailure) {
        if asJSON {
            try json(["provider": .string(provider), "state": .string(state)])
        } else {
            try line(text.text)
        }
    }
}
