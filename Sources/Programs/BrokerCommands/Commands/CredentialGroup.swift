import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import Foundation
import Glibc
import Localization
import OAuth
import ProgramConfiguration
import Terminal

struct CredentialGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        "credential",
        "help.broker.credentialGroup",
        subcommands: [CredentialGit.self, CredentialDocker.self, CredentialKubectl.self]
    )
}

/// Functions that the credential helpers share.
///
/// The helpers never prompt, and never print a token for a server that must not receive it.
enum CredentialHelper {
    /// The maximum size of a request, in bytes.
    private static let questionLimit = 65_536

    static func question() throws(CommandFailure) -> String {
        let bytes = try BoundedInput.read(STDIN_FILENO, limit: questionLimit, name: Text("failure.input"))
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .usage(Text("failure.inputNotUTF8")) }
        return text
    }
}

struct CredentialGit: DaemonCommand {
    static let configuration = CommandConfiguration(
        "git",
        "help.broker.credentialGit",
        more: "help.broker.credentialGit.more"
    )

    enum Operation: String, CaseIterable, ExpressibleByArgument {
        case get, store, erase
    }

    @Option(help: .text("help.broker.credentialGit.username")) var username: String?
    @OptionGroup var choice: TokenChoice
    @OptionGroup var connection: ConnectionOptions
    @Argument(help: .text("help.broker.credentialGit.operation")) var operation: Operation

    func run(_ correlation: CorrelationID) async throws {
        let asked = GitCredential(try CredentialHelper.question())
        switch operation {
        case .store: return
        case .get: try await answer(asked, correlation)
        case .erase: try await renew(asked, correlation)
        }
    }

    private func answer(_ asked: GitCredential, _ correlation: CorrelationID) async throws {
        let token = try await connection.withBroker(correlation) { broker -> AcquiredToken? in
            guard let place = Destination(asked.origin, among: try await broker.apis()) else { return nil }
            try ListenerCheck.check(place)
            return try await choice.token(from: broker, for: place.api, prompt: .none)
        }
        guard let token else { return }
        // With a user name, git sends the token as that user's password. This is required for a server that supports
        // only basic authentication, and for git before version 2.46.
        let user = username ?? (asked.takesAuthType ? nil : asked.username)
        if user == nil, !asked.takesAuthType {
            let place = asked.origin?.description ?? "URL"
            throw CommandFailure(
                .failed,
                "no_username",
                Text("failure.gitNeedsName"),
                hint: Text(exactly: "git config credential.\(place).username NAME")
            )
        }
        for line in GitCredential.answer(token.accessToken, expiresAt: token.expiresAt, username: user) {
            try Output.exactly(line)
        }
    }

    /// Renews a token that the server rejected, if the broker would otherwise return the same token again.
    private func renew(_ asked: GitCredential, _ correlation: CorrelationID) async throws {
        try await connection.withBroker(correlation) { broker in
            guard let refused = asked.token, let place = Destination(asked.origin, among: try await broker.apis()),
                try await choice.token(from: broker, for: place.api, prompt: .none).accessToken == refused
            else { return }
            _ = try await choice.token(from: broker, for: place.api, prompt: .none, renewed: true)
        }
    }
}

struct CredentialDocker: DaemonCommand {
    static let configuration = CommandConfiguration(
        "docker",
        "help.broker.credentialDocker",
        more: "help.broker.credentialDocker.more"
    )

    enum Operation: String, CaseIterable, ExpressibleByArgument {
        case get, store, erase, list
    }

    @Option(help: .text("help.broker.credentialDocker.username")) var username: String?
    @OptionGroup var choice: TokenChoice
    @OptionGroup var connection: ConnectionOptions
    @Argument(help: .text("help.broker.credentialDocker.operation")) var operation: Operation

    func run(_ correlation: CorrelationID) async throws {
        switch operation {
        case .get: try await answer(try CredentialHelper.question(), correlation)
        case .store:
            let message = Text("failure.nothingStored")
            // If a helper fails, docker prints the helper's standard output.
            try Output.exactly(message.english)
            throw CommandFailure(
                .denied,
                "not_stored",
                message,
                hint: Text("cli.terminal.signInBy", ["command": "tokenbroker sign-in"])
            )
        case .erase: _ = try CredentialHelper.question()
        case .list: try Output.json([:])
        }
    }

    private func answer(_ question: String, _ correlation: CorrelationID) async throws {
        let server = question.trimmingCharacters(in: .whitespacesAndNewlines)
        let token = try await connection.withBroker(correlation) { broker -> AcquiredToken? in
            let apis = try await broker.apis()
            let places = DockerServer.origins(server).compactMap { Destination($0, among: apis) }
            guard let place = places.first else { return nil }
            try ListenerCheck.check(place)
            return try await choice.token(from: broker, for: place.api, prompt: .none)
        }
        guard let token else {
            // Docker's protocol defines this text, which makes docker continue without a credential.
            try Output.exactly("credentials not found in native keychain")
            throw CommandFailure(.failed, "not_found", Text("failure.noTokenGoes", ["place": PlainText.line(server)]))
        }
        try Output.json([
            "ServerURL": .string(server), "Username": .string(username ?? token.username),
            "Secret": .string(token.accessToken.reveal()),
        ])
    }
}

struct CredentialKubectl: DaemonCommand {
    static let configuration = CommandConfiguration(
        "kubectl",
        "help.broker.credentialKubectl",
        more: "help.broker.credentialKubectl.more"
    )

    @OptionGroup var choice: TokenChoice
    @OptionGroup var connection: ConnectionOptions

    func run(_ correlation: CorrelationID) async throws {
        guard let text = ProcessInfo.processInfo.environment["KUBERNETES_EXEC_INFO"] else {
            throw CommandFailure.usage(Text("failure.noExecInfo"))
        }
        guard let asked = KubectlCredential(text) else {
            throw CommandFailure.usage(Text("failure.badExecInfo"))
        }
        guard let server = asked.server else {
            throw CommandFailure(
                .configuration,
                "no_cluster",
                Text("failure.noCluster"),
                hint: Text("failure.noCluster.hint")
            )
        }
        let token = try await connection.withBroker(correlation) { broker in
            let place = try Destination.of(server, among: try await broker.apis())
            try ListenerCheck.check(place)
            return try await choice.token(from: broker, for: place.api, prompt: .none)
        }
        try Output.json(asked.answer(token.accessToken, expiresAt: token.expiresAt))
    }
}
