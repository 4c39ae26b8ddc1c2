import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// The accounts at providers outside with which a person can sign in to the one here.
struct ProviderGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        "provider",
        "help.broker.providerGroup",
        subcommands: [ProviderList.self, ProviderAdd.self, ProviderRemove.self]
    )
}

/// Lists the linked accounts.
struct ProviderList: Command {
    static let configuration = CommandConfiguration("list", "help.broker.providerList")

    @Option(help: .text("help.broker.enrolmentOptions.account")) var account: String?
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let answer = try await connection.withBroker(correlation) { broker in
            let id = try await broker.id(ofAccount: account)
            return try await broker.call(CredentialList(type: .federated, account: id))
        }
        if shared.json {
            try Output.json(CredentialList.result(answer))
            return
        }
        try Output.table(
            [Text("cli.broker.providerHeading").text, Text("cli.broker.linkedHeading").text],
            answer.map { [$0.provider ?? "", TimeText.utc($0.enrolledAt)] }
        )
    }
}

/// Links an account at a provider.
struct ProviderAdd: Command {
    static let configuration = CommandConfiguration("add", "help.broker.providerAdd")

    @Argument(help: .text("help.broker.providerAdd.name")) var name: String
    @Option(help: .text("help.broker.enrolmentOptions.account")) var account: String?
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        try await connection.withBroker(correlation) { broker in
            let id = try await broker.id(ofAccount: account)
            let call = CredentialEnrol(type: .federated, account: id, provider: name)
            _ = try await broker.runFlow(try await broker.call(call))
        }
        try Output.link(name, Text("cli.broker.providerLinked", ["name": name]), state: "linked", asJSON: shared.json)
    }
}

/// Takes an account at a provider away.
struct ProviderRemove: Command {
    static let configuration = CommandConfiguration("remove", "help.broker.providerRemove")

    @Argument(help: .text("help.broker.providerAdd.name")) var name: String
    @OptionGroup var options: EnrolmentOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        try await options.changing(.federated, correlation) { broker, account, _ in
            try await broker.call(CredentialRemove(type: .federated, account: account, provider: name))
        }
        try Output.link(name, Text("cli.broker.providerUnlinked", ["name": name]), state: "none", asJSON: shared.json)
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
        _ text: Text,
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
