import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// The authenticator app of a person.
struct TotpGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        "totp",
        "help.broker.totpGroup",
        subcommands: [TotpEnrol.self, TotpRemove.self]
    )
}

/// Adds an authenticator app where there is none.
struct TotpEnrol: Command {
    static let configuration = CommandConfiguration("enrol", "help.broker.totpEnrol")

    @OptionGroup var options: EnrolmentOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        try await options.changing(.totp, correlation) { broker, account, isEnrolled in
            if isEnrolled { throw TotpFailure.isThere }
            return try await broker.call(CredentialEnrol(type: .totp, account: account))
        }
        try Output.credential(.totp, Text("cli.broker.authenticatorAdded"), state: "enrolled", asJSON: shared.json)
    }
}

/// Removes the authenticator app.
struct TotpRemove: Command {
    static let configuration = CommandConfiguration("remove", "help.broker.totpRemove")

    @OptionGroup var options: EnrolmentOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        try await options.changing(.totp, correlation) { broker, account, isEnrolled in
            guard isEnrolled else { throw TotpFailure.isMissing }
            return try await broker.call(CredentialRemove(type: .totp, account: account))
        }
        try Output.credential(.totp, Text("cli.broker.authenticatorRemoved"), state: "none", asJSON: shared.json)
    }
}

/// Failures that only authenticators have.
enum TotpFailure {
    static let isThere = CommandFailure(
        .denied,
        "already_enrolled",
        Text("failure.authenticatorExists"),
        hint: Text("failure.authenticatorExists.hint")
    )
    static let isMissing = CommandFailure(
        .denied,
        "not_enrolled",
        Text("failure.noAuthenticator"),
        hint: Text("failure.noAuthenticator.hint")
    )
}
