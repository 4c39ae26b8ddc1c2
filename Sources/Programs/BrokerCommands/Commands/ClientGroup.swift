import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import ProgramConfiguration
import Terminal

/// Manages the registered clients (requires operator rights).
struct ClientGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        "client",
        "help.broker.clientGroup",
        subcommands: [
            ClientAddCommand.self, ClientListCommand.self, ClientShowCommand.self, ClientRemoveCommand.self,
        ]
    )
}

struct ClientAddCommand: CallCommand {
    static let configuration = CommandConfiguration("add", "help.broker.clientAddCommand")

    @Argument(help: .text("help.broker.clientAddCommand.name")) var name: String
    @Option(help: .text("help.broker.clientAddCommand.type")) var type: ClientType = .public
    @Option(
        name: .customLong("redirect-uri"),
        help: .text("help.broker.clientAddCommand.redirectURIs", valueName: "uri")
    )
    var redirectURIs: [String] = []
    @Option(help: .text("help.broker.clientAddCommand.scope")) var scope: [String] = []
    @Option(help: .text("help.broker.clientAddCommand.audience")) var audience: String?
    @Option(
        name: .customLong("post-logout-redirect-uri"),
        help: .text("help.broker.clientAddCommand.postLogoutRedirectURIs", valueName: "uri")
    )
    var postLogoutRedirectURIs: [String] = []
    @Option(
        name: .customLong("backchannel-logout-uri"),
        help: .text("help.broker.clientAddCommand.backchannelLogoutURI", valueName: "uri")
    )
    var backchannelLogoutURI: String?
    @Option(name: .customLong("id-token-alg"), help: .text("help.broker.clientAddCommand.idTokenAlg", valueName: "alg"))
    var idTokenAlg: TokenSigning.Algorithm = .es256
    @Option(
        name: .customLong("access-token-alg"),
        help: .text("help.broker.clientAddCommand.accessTokenAlg", valueName: "alg")
    )
    var accessTokenAlg: TokenSigning.Algorithm = .es256
    @OptionGroup var connection: ConnectionOptions

    var call: NewClient {
        NewClient(
            displayName: name,
            type: type,
            redirectURIs: redirectURIs,
            scopes: scope,
            audience: audience,
            signOut: SignOutAddresses(
                postLogoutRedirectURIs: postLogoutRedirectURIs,
                backchannelLogoutURI: backchannelLogoutURI
            ),
            signing: TokenSigning(idToken: idTokenAlg, accessToken: accessTokenAlg)
        )
    }

    func show(_ answer: AddedClient) throws {
        try Output.line(Text("cli.broker.client", ["id": answer.client.client]))
        if let secret = answer.secret { try Output.exactly("secret \(secret.reveal())") }
    }
}

struct ClientListCommand: CallCommand {
    static let configuration = CommandConfiguration("list", "help.broker.clientListCommand")

    @OptionGroup var connection: ConnectionOptions

    var call: ClientList { ClientList() }

    func show(_ answer: ClientList.Answer) throws {
        try Output.table(
            [
                Text("cli.broker.clientHeading").text, Text("cli.broker.typeHeading").text,
                Text("cli.broker.fromHeading").text, Text("cli.broker.nameHeading").text,
                Text("cli.broker.scopesHeading").text,
            ],
            answer.map {
                [
                    $0.client, $0.type.rawValue, Self.origin($0).text, $0.name,
                    $0.scopes.isEmpty ? Text("cli.broker.client.allScopes").text : $0.scopes.joined(separator: " "),
                ]
            }
        )
    }

    private static func origin(_ client: ClientSummary) -> Text {
        if BrokerConfiguration.commandLines.contains(client.client) { return Text("cli.broker.fromProgram") }
        return Text(client.configured ? "cli.broker.fromFile" : "cli.broker.fromStore")
    }
}

struct ClientRemoveCommand: CallCommand {
    static let configuration = CommandConfiguration("remove", "help.broker.clientRemoveCommand")

    @Argument(help: .text("help.broker.clientRemoveCommand.client")) var client: String
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        if BrokerConfiguration.commandLines.contains(client) {
            throw ValidationError(Text("cli.broker.cannotRemove", ["id": client]))
        }
    }

    var call: ClientRemove { ClientRemove(client: client) }

    func show(_ answer: ClientRemove.Answer) throws {
        try Output.line(Text("cli.broker.removedClient", ["id": client]))
    }
}
