import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

struct ProviderGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        "provider",
        "help.broker.providerGroup",
        subcommands: [ProviderList.self, ProviderAdd.self, ProviderRemove.self]
    )
}

struct ProviderList: DaemonCommand {
    static let configuration = CommandConfiguration("list", "help.broker.providerList")

    @Option(help: .text("help.broker.enrolmentOptions.account")) var account: String?
    @OptionGroup var connection: ConnectionOptions

    func run(_ correlation: CorrelationID) async throws {
        let answer = try await connection.withBroker(correlation) { broker in
            let id = try await broker.id(ofAccount: account)
            return try await broker.call(CredentialList(type: .federated, account: id))
        }
        if shared.json { return try Output.json(CredentialList.result(answer)) }
        try Output.table(
            [Text("cli.broker.providerHeading").text, Text("cli.broker.linkedHeading").text],
            answer.map { [$0.provider ?? "", TimeText.utc($0.enrolledAt)] },
            empty: Text("cli.broker.noLinkedProviders")
        )
    }
}

struct ProviderAdd: DaemonCommand {
    static let configuration = CommandConfiguration("add", "help.broker.providerAdd")

    @Argument(help: .text("help.broker.providerAdd.name")) var name: String
    @Option(help: .text("help.broker.enrolmentOptions.account")) var account: String?
    @OptionGroup var connection: ConnectionOptions

    func run(_ correlation: CorrelationID) async throws {
        try await connection.withBroker(correlation) { broker in
            let id = try await broker.id(ofAccount: account)
            let call = CredentialEnrol(type: .federated, account: id, provider: name)
            _ = try await broker.runFlow(try await broker.call(call))
        }
        let done = Text("cli.broker.providerLinked", ["name": name])
        try Output.change(done, of: .federated, at: name, to: "linked", asJSON: shared.json)
    }
}

struct ProviderRemove: DaemonCommand {
    static let configuration = CommandConfiguration("remove", "help.broker.providerRemove")

    @Argument(help: .text("help.broker.providerAdd.name")) var name: String
    @OptionGroup var options: EnrolmentOptions
    var connection: ConnectionOptions { options.connection }

    func run(_ correlation: CorrelationID) async throws {
        try await options.changing(.federated, correlation) { broker, account, _ in
            try await broker.call(CredentialRemove(type: .federated, account: account, provider: name))
        }
        let done = Text("cli.broker.providerUnlinked", ["name": name])
        try Output.change(done, of: .federated, at: name, to: "none", asJSON: shared.json)
    }
}
