import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// The PIN of a person for this uid.
struct PinGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        "pin",
        "help.broker.pinGroup",
        subcommands: [PinEnrol.self, PinChange.self, PinRemove.self]
    )
}

/// Sets a PIN where there is none.
struct PinEnrol: Command {
    static let configuration = CommandConfiguration("enrol", "help.broker.pinEnrol")

    @OptionGroup var options: EnrolmentOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        try await options.changing(.pin, correlation) { broker, account, hasPIN in
            if hasPIN { throw PinFailure.isThere }
            return try await broker.call(CredentialEnrol(type: .pin, account: account))
        }
        try Output.credential(.pin, Text("cli.broker.pinSet"), state: "enrolled", asJSON: shared.json)
    }
}

/// Sets another PIN in place of the one there is.
struct PinChange: Command {
    static let configuration = CommandConfiguration("change", "help.broker.pinChange")

    @OptionGroup var options: EnrolmentOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        try await options.changing(.pin, correlation) { broker, account, hasPIN in
            guard hasPIN else { throw PinFailure.isMissing }
            return try await broker.call(CredentialEnrol(type: .pin, account: account))
        }
        try Output.credential(.pin, Text("cli.broker.pinChanged"), state: "enrolled", asJSON: shared.json)
    }
}

/// Removes the PIN.
struct PinRemove: Command {
    static let configuration = CommandConfiguration("remove", "help.broker.pinRemove")

    @OptionGroup var options: EnrolmentOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        try await options.changing(.pin, correlation) { broker, account, hasPIN in
            guard hasPIN else { throw PinFailure.isMissing }
            return try await broker.call(CredentialRemove(type: .pin, account: account))
        }
        try Output.credential(.pin, Text("cli.broker.pinRemoved"), state: "none", asJSON: shared.json)
    }
}

/// Failures that only PINs have.
enum PinFailure {
    static let isThere = CommandFailure(
        .denied,
        "already_enrolled",
        Text("failure.pinExists"),
        hint: Text("failure.pinExists.hint")
    )
    static let isMissing = CommandFailure(
        .denied,
        "not_enrolled",
        Text("failure.noPIN"),
        hint: Text("failure.noPIN.hint")
    )
}
