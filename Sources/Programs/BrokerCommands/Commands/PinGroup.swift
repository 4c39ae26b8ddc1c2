import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// The PIN of a person for this uid.
struct PinGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Set, change or remove the PIN that this user asks for at what needs one.",
        subcommands: [PinEnrol.self, PinChange.self, PinRemove.self]
    )
}

/// Sets a PIN where there is none.
struct PinEnrol: Command {
    static let configuration = CommandConfiguration(
        commandName: "enrol",
        abstract: "Set a PIN, after the password."
    )

    @OptionGroup var options: EnrolmentOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        try await options.changing(.pin, correlation) { broker, account, hasPIN in
            if hasPIN { throw PinFailure.isThere }
            return try await broker.call(CredentialEnrol(type: .pin, account: account))
        }
        try Output.credential(.pin, .pinSet, state: "enrolled", asJSON: shared.json)
    }
}

/// Sets another PIN in place of the one there is.
struct PinChange: Command {
    static let configuration = CommandConfiguration(
        commandName: "change",
        abstract: "Set another PIN, after the password; the one before may be forgotten."
    )

    @OptionGroup var options: EnrolmentOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        try await options.changing(.pin, correlation) { broker, account, hasPIN in
            guard hasPIN else { throw PinFailure.isMissing }
            return try await broker.call(CredentialEnrol(type: .pin, account: account))
        }
        try Output.credential(.pin, .pinChanged, state: "enrolled", asJSON: shared.json)
    }
}

/// Removes the PIN.
struct PinRemove: Command {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove the PIN, after the password."
    )

    @OptionGroup var options: EnrolmentOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        try await options.changing(.pin, correlation) { broker, account, hasPIN in
            guard hasPIN else { throw PinFailure.isMissing }
            return try await broker.call(CredentialRemove(type: .pin, account: account))
        }
        try Output.credential(.pin, .pinRemoved, state: "none", asJSON: shared.json)
    }
}

/// Failures that only PINs have.
enum PinFailure {
    static let isThere = CommandFailure(
        .denied,
        "already_enrolled",
        "there is a PIN already",
        hint: "`tokenbroker pin change` sets another"
    )
    static let isMissing = CommandFailure(
        .denied,
        "not_enrolled",
        "there is no PIN",
        hint: "`tokenbroker pin enrol` sets one"
    )
}
