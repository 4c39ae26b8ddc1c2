import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import Foundation
import Glibc
import OAuth
import ProgramConfiguration
import Terminal

/// Answers other programs that ask for a credential.
struct CredentialGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credential",
        abstract: "Give tokens to git, docker and kubectl, for the origins of APIs only.",
        subcommands: [CredentialGit.self, CredentialDocker.self, CredentialKubectl.self]
    )
}

/// What the helpers share: they read one question, ask nobody, and answer nothing where no token goes.
enum CredentialHelper {
    /// The largest question in bytes.
    private static let questionLimit = 65_536

    /// The question on stdin.
    static func question() throws(CommandFailure) -> String {
        let bytes = try BoundedInput.read(STDIN_FILENO, limit: questionLimit, name: "standard input")
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .usage("standard input is no UTF-8") }
        return text
    }
}

/// The helper of git.
struct CredentialGit: Command {
    static let configuration = CommandConfiguration(
        commandName: "git",
        abstract: "Answer git (gitcredentials(7)): a bearer token from git 2.46, else a password.",
        discussion: """
            Configured by `git config credential.https://HOST.helper '!tokenbroker credential git'`. Git before 2.46 needs a user \
            name besides: `git config credential.https://HOST.username NAME`. Nothing is stored; a token that the server refused is \
            renewed.
            """
    )

    /// The operations of helpers.
    enum Operation: String, CaseIterable, ExpressibleByArgument {
        case get, store, erase
    }

    @Option(help: "Give the token as the password of this user, to servers that know no bearer tokens.")
    var username: String?
    @OptionGroup var choice: TokenChoice
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions
    @Argument(help: "What git wants: get, store or erase.") var operation: Operation

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
        // A user that this helper was told of is meant for a server that knows no other way.
        let user = username ?? (asked.takesAuthType ? nil : asked.username)
        if user == nil, !asked.takesAuthType {
            let place = asked.origin?.description ?? "URL"
            throw CommandFailure(
                .failed,
                "no_username",
                "git before 2.46 takes no bearer token without a user name",
                hint: "git config credential.\(place).username NAME"
            )
        }
        for line in GitCredential.answer(token.accessToken, expiresAt: token.expiresAt, username: user) {
            try Output.exactly(line)
        }
    }

    /// Renews a token that the server refused, if it is the one that the next question would be answered by.
    private func renew(_ asked: GitCredential, _ correlation: CorrelationID) async throws {
        try await connection.withBroker(correlation) { broker in
            guard let refused = asked.token, let place = Destination(asked.origin, among: try await broker.apis()),
                try await choice.token(from: broker, for: place.api, prompt: .none).accessToken == refused
            else { return }
            _ = try await choice.token(from: broker, for: place.api, prompt: .none, renewed: true)
        }
    }
}

/// The helper of docker.
struct CredentialDocker: Command {
    static let configuration = CommandConfiguration(
        commandName: "docker",
        abstract: "Answer docker's `get` (docker-credential-helpers); nothing is stored.",
        discussion: """
            Docker runs it as docker-credential-NAME, a program of two lines: `#!/bin/sh` and `exec tokenbroker credential docker \
            "$@"`. The token is the password of the account's user name, or of --username.
            """
    )

    /// The operations of helpers.
    enum Operation: String, CaseIterable, ExpressibleByArgument {
        case get, store, erase, list
    }

    @Option(help: "The user name that the registry wants beside a token.") var username: String?
    @OptionGroup var choice: TokenChoice
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions
    @Argument(help: "What docker wants: get, store, erase or list.") var operation: Operation

    func run(_ correlation: CorrelationID) async throws {
        switch operation {
        case .get: try await answer(try CredentialHelper.question(), correlation)
        case .store:
            let message = "tokens come from the broker, and none is stored"
            // Docker shows what a helper that fails wrote to stdout.
            try Output.exactly(message)
            throw CommandFailure(.denied, "not_stored", message, hint: "sign in by `tokenbroker sign-in`")
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
            // These words are the protocol's: docker goes on without a credential.
            try Output.exactly("credentials not found in native keychain")
            throw CommandFailure(.failed, "not_found", "no token goes to \(PlainText.line(server))")
        }
        try Output.json([
            "ServerURL": .string(server), "Username": .string(username ?? token.username),
            "Secret": .string(token.accessToken.reveal()),
        ])
    }
}

/// The credential program of kubectl.
struct CredentialKubectl: Command {
    static let configuration = CommandConfiguration(
        commandName: "kubectl",
        abstract: "Answer kubectl with an ExecCredential.",
        discussion: """
            Configured as `users[].user.exec` of the kubeconfig with `provideClusterInfo: true`, so that it is known where the token \
            goes.
            """
    )

    @OptionGroup var choice: TokenChoice
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        guard let text = ProcessInfo.processInfo.environment["KUBERNETES_EXEC_INFO"] else {
            throw CommandFailure.usage("KUBERNETES_EXEC_INFO is not set; kubectl sets it for its credential programs")
        }
        guard let asked = KubectlCredential(text) else {
            throw CommandFailure.usage("KUBERNETES_EXEC_INFO is no ExecCredential of client.authentication.k8s.io/v1")
        }
        guard let server = asked.server else {
            throw CommandFailure(
                .configuration,
                "no_cluster",
                "kubectl does not say which cluster the token is for",
                hint: "provideClusterInfo: true, beside `command:` in the kubeconfig"
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
