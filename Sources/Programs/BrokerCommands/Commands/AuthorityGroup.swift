import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import Foundation
import OAuth
import Terminal

/// Manages the external authorities that the user has added (requires no operator rights).
struct AuthorityGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        "authority",
        "help.broker.authorityGroup",
        subcommands: [AuthorityAddCommand.self, AuthorityListCommand.self, AuthorityRemoveCommand.self]
    )
}

/// Adds an external authority, and tests it by signing in.
struct AuthorityAddCommand: DaemonCommand {
    static let configuration = CommandConfiguration("add", "help.broker.authorityAddCommand")

    @Argument(help: .text("help.broker.authorityAddCommand.url")) var url: String?
    @Option(help: .text("help.broker.authorityAddCommand.name")) var name: String?
    @Option(help: .text("help.broker.authorityAddCommand.preset")) var preset: NewAuthority.Preset?
    @Option(name: .customLong("client-id"), help: .text("help.broker.authorityAddCommand.clientID")) var clientID:
        String?
    @Flag(name: .customLong("secret-stdin"), help: .text("help.broker.authorityAddCommand.readsSecret"))
    var readsSecret = false
    @Option(help: .text("help.broker.authorityAddCommand.scope")) var scope: [String] = []
    @Option(help: .text("help.broker.authorityAddCommand.origin")) var origin: [String] = []
    @Flag(name: .customLong("no-sign-in"), help: .text("help.broker.authorityAddCommand.addsOnly")) var addsOnly = false
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        guard url != nil || preset != nil else { throw ValidationError(Text("cli.broker.authorityNeedsURL")) }
    }

    func run(_ correlation: CorrelationID) async throws {
        let secret = readsSecret ? try StandardInput.line() : nil
        if let secret, let addition = SecretAddition(in: secret.revealBytes()) {
            throw CommandFailure.usage(Text("cli.broker.alteredSecret", ["problem": addition]))
        }
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
            throw CommandFailure.usage(Text("cli.broker.registerFirst", ["address": address]))
        }
        let host = url.flatMap { URLComponents(string: $0)?.host }
        var new = NewAuthority(name ?? preset?.rawValue ?? host ?? "", url: url, clientID: clientID)
        new.preset = preset
        new.clientSecret = secret
        new.scopes = scope
        new.origins = origin
        return new
    }

    private func show(_ added: AuthoritySummary) throws {
        try Output.line(Text("cli.broker.authorityAdded", ["name": added.name, "url": added.url]))
        guard let found = added.found else { return }
        let facts: [(Text, Bool)] = [
            (Text("cli.broker.saysWho"), found.identifies),
            (Text("cli.broker.givesRefreshTokens"), found.keepsSignedIn),
            (Text("cli.broker.revokesTokens"), found.revokes),
            (Text("cli.broker.endsItsSessions"), found.endsSessions),
        ]
        for (text, isSo) in facts { try Output.line("  \(isSo ? "+" : "-") \(text.text)") }
    }
}

struct AuthorityListCommand: CallCommand {
    static let configuration = CommandConfiguration("list", "help.broker.authorityListCommand")

    @OptionGroup var connection: ConnectionOptions

    var call: AuthorityList { AuthorityList() }

    func show(_ answer: AuthorityList.Answer) throws {
        try Output.table(
            [
                Text("cli.broker.nameHeading").text, Text("cli.broker.issuerHeading").text,
                Text("cli.broker.clientHeading").text, Text("cli.broker.fromHeading").text,
                Text("cli.broker.scopesHeading").text,
            ],
            answer.authorities.map {
                let owner = Text($0.isOwn ? "cli.broker.addedByYou" : "cli.broker.addedByOperator")
                return [$0.name, $0.url, $0.clientID, owner.text, $0.scopes.joined(separator: " ")]
            },
            empty: Text("cli.broker.noAuthorities")
        )
        try Output.line(Text("cli.broker.redirectURIToRegister", ["address": answer.redirectURI]))
    }
}

struct AuthorityRemoveCommand: CallCommand {
    static let configuration = CommandConfiguration("remove", "help.broker.authorityRemoveCommand")

    @Argument(help: .text("help.broker.authorityRemoveCommand.name")) var name: String
    @OptionGroup var connection: ConnectionOptions

    var call: AuthorityRemove { AuthorityRemove(name: name) }

    func show(_ answer: AuthorityRemove.Answer) throws {
        try Output.line(Text("cli.broker.authorityRemoved", ["name": answer.removed]))
        for left in answer.left { try Output.line(Text("cli.broker.leftThere", ["what": left])) }
    }
}
