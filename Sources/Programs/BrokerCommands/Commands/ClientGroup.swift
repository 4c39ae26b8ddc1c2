import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import ProgramConfiguration
import Terminal

/// The registered clients; for operators.
struct ClientGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "See to the registered clients; for operators.",
        subcommands: [
            ClientAddCommand.self, ClientListCommand.self, ClientShowCommand.self, ClientRemoveCommand.self,
        ]
    )
}

/// Registers a client.
struct ClientAddCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Register a client, and print its id, and its secret once."
    )

    /// The words of `--type`.
    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case `public`
        case confidential

        /// The type of the client to register.
        var client: ClientType {
            switch self {
            case .public: .public
            case .confidential: .confidential
            }
        }
    }

    /// The words of `--id-token-alg` and `--access-token-alg`.
    enum Algorithm: String, ExpressibleByArgument, CaseIterable {
        case es256 = "ES256"
        case edDSA = "EdDSA"
        case rs256 = "RS256"

        /// The algorithm to register the client with.
        var signing: TokenSigning.Algorithm {
            switch self {
            case .es256: .es256
            case .edDSA: .edDSA
            case .rs256: .rs256
            }
        }
    }

    @Argument(help: "What people call it.") var name: String
    @Option(help: "Whether it can keep a secret: public or confidential.") var type: Kind = .public
    @Option(name: .customLong("redirect-uri"), help: "Where answers may be sent; may be repeated.")
    var redirectURIs: [String] = []
    @Option(help: "A scope it may ask for, as API/SCOPE; may be repeated.") var scope: [String] = []
    @Option(help: "The audience of tokens that are asked for by its own id.") var audience: String?
    @Option(
        name: .customLong("post-logout-redirect-uri"),
        help: "Where a browser may be sent after sign-out; may be repeated."
    )
    var postLogoutRedirectURIs: [String] = []
    @Option(name: .customLong("backchannel-logout-uri"), help: "Where it is told of sign-outs.")
    var backchannelLogoutURI: String?
    @Option(name: .customLong("id-token-alg"), help: "How its ID tokens are signed: ES256, EdDSA or RS256.")
    var idTokenAlg: Algorithm = .es256
    @Option(name: .customLong("access-token-alg"), help: "How its access tokens are signed: ES256, EdDSA or RS256.")
    var accessTokenAlg: Algorithm = .es256
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    var call: NewClient {
        NewClient(
            displayName: name,
            type: type.client,
            redirectURIs: redirectURIs,
            scopes: scope,
            audience: audience,
            signOut: SignOutAddresses(
                postLogoutRedirectURIs: postLogoutRedirectURIs,
                backchannelLogoutURI: backchannelLogoutURI
            ),
            signing: TokenSigning(idToken: idTokenAlg.signing, accessToken: accessTokenAlg.signing)
        )
    }

    func show(_ answer: AddedClient) throws {
        try Output.line(BrokerText.client(answer.client.client).text)
        if let secret = answer.secret { try Output.exactly("secret \(secret.reveal())") }
    }
}

/// Lists clients.
struct ClientListCommand: OperatorCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the registered clients.")

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    var call: ClientList { ClientList() }

    func show(_ answer: ClientList.Answer) throws {
        try Output.table(
            [BrokerText.clientHeading, .typeHeading, .fromHeading, .nameHeading, .scopesHeading].map(\.text),
            answer.map {
                [
                    $0.client, $0.type.rawValue, Self.origin($0).text, $0.name,
                    $0.scopes.joined(separator: " "),
                ]
            }
        )
    }

    private static func origin(_ client: ClientSummary) -> BrokerText {
        if BrokerConfiguration.commandLines.contains(client.client) { return .fromProgram }
        return client.configured ? .fromFile : .fromStore
    }
}

/// Removes a client.
struct ClientRemoveCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a client, and end what it was given."
    )

    @Argument(help: "Its id.") var client: String
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if BrokerConfiguration.commandLines.contains(client) {
            throw ValidationError(BrokerText.cannotRemove(client).text)
        }
    }

    var call: ClientRemove { ClientRemove(client: client) }

    func show(_ answer: ClientRemove.Answer) throws { try Output.line(BrokerText.removedClient(client).text) }
}
