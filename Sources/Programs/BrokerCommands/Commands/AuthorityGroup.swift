import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import Foundation
import OAuth
import Terminal

/// The outside authorities of the person who calls; no operator is needed.
struct AuthorityGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authority",
        abstract: "See to outside authorities of your own, whose tokens the daemon keeps.",
        subcommands: [AuthorityAddCommand.self, AuthorityListCommand.self, AuthorityRemoveCommand.self]
    )
}

/// Adds an outside authority, and tries a sign-in.
struct AuthorityAddCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Look at an outside authority, add it, and sign in there with a browser."
    )

    /// The words of `--preset`.
    enum Preset: String, ExpressibleByArgument, CaseIterable {
        case google
        case entra
        case github
        case keycloak
        case gitlab

        /// The preset of the socket.
        var preset: NewAuthority.Preset {
            switch self {
            case .google: .google
            case .entra: .entra
            case .github: .github
            case .keycloak: .keycloak
            case .gitlab: .gitlab
            }
        }
    }

    @Argument(help: "Its issuer, an https URL; left out where the preset knows it.") var url: String?
    @Option(help: "What to call it; without it the preset's word, or the host.") var name: String?
    @Option(help: "What it is: google, entra, github, keycloak or gitlab.") var preset: Preset?
    @Option(name: .customLong("client-id"), help: "The client id that it gave you.") var clientID: String?
    @Flag(name: .customLong("secret-stdin"), help: "Read the client's secret from the first line of stdin.")
    var readsSecret = false
    @Option(help: "A scope of its tokens; may be repeated.") var scope: [String] = []
    @Option(help: "Where its tokens may be sent, as https://host[:port]; may be repeated.") var origin: [String] = []
    @Flag(name: .customLong("no-sign-in"), help: "Only add it; nobody signs in now.") var addsOnly = false
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        guard url != nil || preset != nil else { throw ValidationError(BrokerText.authorityNeedsURL.text) }
    }

    func run(_ correlation: CorrelationID) async throws {
        let secret = readsSecret ? try StandardInput.line() : nil
        let added = try await connection.withBroker(correlation) { broker in
            let new = try await request(broker, secret)
            let added = try await broker.call(new)
            if !addsOnly {
                if !shared.json { try show(added) }
                let account = try await broker.signIn(policy: added.name, mode: .browser)
                try Output.signedIn(account, asJSON: shared.json)
            }
            return added
        }
        guard addsOnly else { return }
        if shared.json { try Output.json(added.json) } else { try show(added) }
    }

    private func request(_ broker: BrokerClient, _ secret: Secret?) async throws -> NewAuthority {
        guard let clientID else {
            let address = try await broker.call(AuthorityList()).redirectURI
            throw CommandFailure.usage(BrokerText.registerFirst(address).text)
        }
        let host = url.flatMap { URLComponents(string: $0)?.host }
        var new = NewAuthority(name ?? preset?.rawValue ?? host ?? "", url: url, clientID: clientID)
        new.preset = preset?.preset
        new.clientSecret = secret
        new.scopes = scope
        new.origins = origin
        return new
    }

    private func show(_ added: AuthoritySummary) throws {
        try Output.line(BrokerText.authorityAdded(added.name, url: added.url).text)
        guard let found = added.found else { return }
        let facts: [(BrokerText, Bool)] = [
            (.saysWho, found.identifies), (.givesRefreshTokens, found.keepsSignedIn), (.revokesTokens, found.revokes),
            (.endsItsSessions, found.endsSessions),
        ]
        for (text, isSo) in facts { try Output.line("  \(isSo ? "+" : "-") \(text.text)") }
    }
}

/// Lists outside authorities.
struct AuthorityListCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the outside authorities that you can name, and what to register at one."
    )

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    var call: AuthorityList { AuthorityList() }

    func show(_ answer: AuthorityList.Answer) throws {
        try Output.table(
            [BrokerText.nameHeading, .issuerHeading, .clientHeading, .fromHeading, .scopesHeading].map(\.text),
            answer.authorities.map {
                let owner: BrokerText = $0.isOwn ? .addedByYou : .addedByOperator
                return [$0.name, $0.url, $0.clientID, owner.text, $0.scopes.joined(separator: " ")]
            }
        )
        try Output.line(BrokerText.redirectURIToRegister(answer.redirectURI).text)
    }
}

/// Removes an outside authority.
struct AuthorityRemoveCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove an outside authority of your own, and sign its accounts out."
    )

    @Argument(help: "Its name.") var name: String
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    var call: AuthorityRemove { AuthorityRemove(name: name) }

    func show(_ answer: AuthorityRemove.Answer) throws {
        try Output.line(BrokerText.authorityRemoved(answer.removed).text)
        for left in answer.left { try Output.line(BrokerText.leftThere(left).text) }
    }
}
