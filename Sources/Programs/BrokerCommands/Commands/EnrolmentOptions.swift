import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// Options of the commands for a credential that a person enrols.
struct EnrolmentOptions: ParsableArguments {
    @Option(help: .text("help.broker.enrolmentOptions.account")) var account: String?
    @Flag(
        name: .customLong("password-stdin"),
        help: .text("help.broker.enrolmentOptions.fromInput")
    )
    var fromInput = false
    @OptionGroup var connection: ConnectionOptions

    /// Runs the flow that `begin` starts for the account that is meant.
    func changing(
        _ type: Credential,
        _ correlation: CorrelationID,
        _ begin: (BrokerClient, _ account: String?, _ isEnrolled: Bool) async throws -> Flow
    ) async throws {
        let questions = Questions(readsInput: fromInput)
        try await connection.withBroker(correlation, asking: questions) { broker in
            let id: String? =
                if let account { try await broker.account(named: account, program: "tokenbroker").account } else { nil }
            let credentials = try await broker.call(CredentialList(type: type, account: id))
            _ = try await broker.runFlow(try await begin(broker, id, !credentials.isEmpty))
        }
    }
}

extension Output {
    /// Prints what became of a credential.
    static func credential(
        _ type: Credential,
        _ text: Text,
        state: String,
        asJSON: Bool
    ) throws(CommandFailure) {
        if asJSON {
            try json(["credential": .string(type.rawValue), "state": .string(state)])
        } else {
            try line(text.text)
        }
    }
}
