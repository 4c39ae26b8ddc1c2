import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// A command that calls one method of the daemon, and prints the response as JSON or as text.
protocol CallCommand: DaemonCommand {
    associatedtype Method: BrokerMethod

    /// The kind of object that the arguments refer to, which determines the error message if the object is unknown.
    static var names: NamedThing { get }

    var call: Method { get }

    func show(_ answer: Method.Answer) throws
}

extension CallCommand {
    static var names: NamedThing { .nothing }

    func run(_ correlation: CorrelationID) async throws {
        let answer: Method.Answer
        do {
            answer = try await connection.withBroker(correlation) { try await $0.call(call) }
        } catch let error as BrokerError {
            throw Self.names.failure(error, correlation) ?? error
        }
        if shared.json { try Output.json(Method.result(answer)) } else { try show(answer) }
    }
}

enum NamedThing {
    case nothing
    case user
    case group
    case key

    /// Returns the failure for an unknown object, with the command that lists the objects, or `nil` for other errors.
    fileprivate func failure(_ error: BrokerError, _ correlation: CorrelationID) -> (any Error)? {
        switch self {
        case .nothing: return nil
        case .user:
            guard error.refusal == .accountNotFound else { return nil }
            var failure = CommandFailure(error, correlation)
            failure.hint = Text("cli.broker.listedByObjectID")
            return failure
        case .group: return Self.absent(error, hint: Text("cli.broker.listedBy", ["command": "tokenbroker group list"]))
        case .key: return Self.absent(error, hint: Text("cli.broker.listedBy", ["command": "tokenbroker keys list"]))
        }
    }

    /// Returns the failure for a name that the daemon rejected as an invalid parameter, or `nil` for other errors.
    ///
    /// The failure's exit status is 1, instead of 64 as for other invalid parameters.
    private static func absent(_ error: BrokerError, hint: Text) -> CommandFailure? {
        guard error.code == JSONRPCError.Code.invalidParams else { return nil }
        return CommandFailure(.failed, error.reason, error.text, hint: hint)
    }
}
