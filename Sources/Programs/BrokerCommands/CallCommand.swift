import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// A command that is one call, whose answer is printed as JSON or for people.
protocol CallCommand: DaemonCommand {
    /// The method that it calls.
    associatedtype Method: BrokerMethod

    /// The kind of thing that its arguments name.
    static var names: NamedThing { get }

    /// The call that the arguments ask for.
    var call: Method { get }

    /// Prints an answer for people.
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

/// The things that operators name, each with the command that lists them.
enum NamedThing {
    case nothing
    case user
    case group
    case key

    /// The failure where there is no such thing, with where to look; nil if the error is another.
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

    /// The failure of a name that was refused, which is no misspelt command; nil for another error.
    private static func absent(_ error: BrokerError, hint: Text) -> CommandFailure? {
        guard error.code == JSONRPCError.Code.invalidParams else { return nil }
        return CommandFailure(.failed, error.reason, error.text, hint: hint)
    }
}
