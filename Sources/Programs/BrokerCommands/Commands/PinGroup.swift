import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// Manages the user's PIN, which is accepted only from the uid that set it.
struct PinGroup: EnrolmentGroup {
    static let configuration = CommandConfiguration(
        "pin",
        "help.broker.pinGroup",
        subcommands: [EnrolCommand<Self>.self, PinChange.self, UnenrolCommand<Self>.self]
    )
    static let credential = EnrolledCredential(
        type: .pin,
        enrol: .init(help: "help.broker.pinEnrol", done: Text("cli.broker.pinSet")),
        remove: .init(help: "help.broker.pinRemove", done: Text("cli.broker.pinRemoved")),
        isThere: .enrolled(Text("failure.pinExists"), hint: Text("failure.pinExists.hint")),
        isMissing: .notEnrolled(Text("failure.noPIN"), hint: Text("failure.noPIN.hint"))
    )
}

struct PinChange: DaemonCommand {
    static let configuration = CommandConfiguration("change", "help.broker.pinChange")

    @OptionGroup var options: EnrolmentOptions
    var connection: ConnectionOptions { options.connection }

    func run(_ correlation: CorrelationID) async throws {
        try await options.changing(.pin, correlation) { broker, account, hasPIN in
            guard hasPIN else { throw PinGroup.credential.isMissing }
            return try await broker.call(CredentialEnrol(type: .pin, account: account))
        }
        try Output.change(Text("cli.broker.pinChanged"), of: .pin, to: "enrolled", asJSON: shared.json)
    }
}
