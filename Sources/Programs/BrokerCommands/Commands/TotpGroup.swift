import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// The authenticator app of a person.
struct TotpGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "totp",
        abstract: "Add or remove the authenticator app whose codes are asked for at what needs one.",
        subcommands: [TotpEnrol.self, TotpRemove.self]
    )
}

/// Adds an authenticator app where there is none.
struct TotpEnrol: Command {
    static let configuration = CommandConfiguration(
        commandName: "enrol",
        abstract: "Add an authenticator app, after the password; recovery codes are shown once."
    )

    @OptionGroup var options: EnrolmentOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        try await options.changing(.totp, correlation) { broker, account, isEnrolled in
            if isEnrolled { throw TotpFailure.isThere }
            return try await broker.call(CredentialEnrol(type: .totp, account: account))
        }
        try Output.credential(.totp, .authenticatorAdded, state: "enrolled", asJSON: shared.json)
    }
}

/// Removes the authenticator app.
struct TotpRemove: Command {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove the authenticator app, after the password and one of its codes or a recovery code."
    )

    @OptionGroup var options: EnrolmentOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        try await options.changing(.totp, correlation) { broker, account, isEnrolled in
            guard isEnrolled else { throw TotpFailure.isMissing }
            return try await broker.call(CredentialRemove(type: .totp, account: account))
        }
        try Output.credential(.totp, .authenticatorRemoved, state: "none", asJSON: shared.json)
    }
}

/// Failures that only authenticators have.
enum TotpFailure {
    static let isThere = CommandFailure(
        .denied,
        "already_enrolled",
        "there is an authenticator already",
        hint: "`tokenbroker totp remove` removes it"
    )
    static let isMissing = CommandFailure(
        .denied,
        "not_enrolled",
        "there is no authenticator",
        hint: "`tokenbroker totp enrol` adds one"
    )
}
