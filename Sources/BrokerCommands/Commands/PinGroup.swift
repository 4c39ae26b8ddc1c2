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

    @OptionGroup var options: PinOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        try await options.changing(correlation) { broker, account, hasPIN in
            if hasPIN { throw PinFailure.isThere }
            return try await broker.call(CredentialEnrol(type: .pin, account: account)).value
        }
        try Output.pin("PIN set.", state: "enrolled", asJSON: shared.json)
    }
}

/// Sets another PIN in place of the one there is.
struct PinChange: Command {
    static let configuration = CommandConfiguration(
        commandName: "change",
        abstract: "Set another PIN, after the password; the one before may be forgotten."
    )

    @OptionGroup var options: PinOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        try await options.changing(correlation) { broker, account, hasPIN in
            guard hasPIN else { throw PinFailure.isMissing }
            return try await broker.call(CredentialEnrol(type: .pin, account: account)).value
        }
        try Output.pin("PIN changed.", state: "enrolled", asJSON: shared.json)
    }
}

/// Removes the PIN.
struct PinRemove: Command {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove the PIN, after the password."
    )

    @OptionGroup var options: PinOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        try await options.changing(correlation) { broker, account, hasPIN in
            guard hasPIN else { throw PinFailure.isMissing }
            return try await broker.call(CredentialRemove(type: .pin, account: account)).value
        }
        try Output.pin("PIN removed.", state: "none", asJSON: shared.json)
    }
}

/// Options of the commands for a PIN.
struct PinOptions: ParsableArguments {
    @Option(help: "The account: its id, its user name, or the beginning of either.") var account: String?
    @Flag(
        name: .customLong("password-stdin"),
        help: "Read the password from the first line of standard input, and a new PIN from the next."
    )
    var fromInput = false
    @OptionGroup var connection: ConnectionOptions

    /// Runs the flow that `begin` starts for the account that is meant.
    func changing(
        _ correlation: CorrelationID,
        _ begin: (BrokerClient, _ account: String?, _ hasPIN: Bool) async throws -> FlowDocument
    ) async throws {
        let questions = Questions(readsInput: fromInput)
        try await connection.withBroker(correlation, asking: questions) { broker in
            let id: String? =
                if let account { try await broker.account(named: account, program: "tokenbroker").account } else { nil }
            let credentials = try await broker.call(CredentialList(type: .pin, account: id)).values
            _ = try await broker.runFlow(try await begin(broker, id, !credentials.isEmpty))
        }
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

extension Output {
    /// Prints what became of a PIN.
    fileprivate static func pin(_ text: String, state: String, asJSON: Bool) throws(CommandFailure) {
        if asJSON { try json(["credential": "pin", "state": .string(state)]) } else { try line(text) }
    }
}
