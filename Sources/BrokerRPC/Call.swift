import Administration
import Broker
import BrokerAPI
import FlowModel
import JSONRPC
import Moments
import OAuth

/// One call on its way to a handler.
struct Call: Sendable {
    /// The caller, by the connection.
    let caller: Caller
    /// What the connection's `broker.hello` said it is.
    let client: String?
    /// What the socket bounds.
    let limits: SocketLimits
}

/// What a handler hands back.
struct Outcome: Sendable {
    /// The member `result`.
    let result: JSONValue
    /// How long the same request may be answered in the same way; nil if it may not.
    var memo: Memo?
    /// What calls of this connection are from now on, if they name no client.
    var client: String?

    /// While what conditions an answer may be given again.
    struct Memo: Hashable, Sendable {
        /// The account whose use is noted.
        let account: String
        /// The uid's generation before anything was read.
        let generation: Int64
        /// Until when.
        let usableUntil: Deadline
    }
}

/// A method of the socket with what answers it.
struct Method: Sendable {
    /// Who may call.
    enum Permission: String, Sendable {
        /// Every uid, about what is its own.
        case anyone
        /// Operators; the administration permits and audits every call.
        case operators
    }

    /// Whether a method is answered while the cache of who calls is locked (contract §4, 1021).
    enum Need: Sendable {
        /// It reads or writes what the passphrase seals, so it is not.
        case openCache
        /// It does nothing of that.
        case evenLocked
    }

    /// Who may call.
    let permission: Permission
    /// Whether it needs a cache that is open.
    let need: Need
    /// The name on the wire.
    let name: String
    /// Whether a call changes something.
    let changesState: Bool
    /// Reads parameters and says how long the call may take and what does it.
    let prepare: @Sendable ([String: JSONValue]) throws(JSONRPCError) -> Prepared

    /// A call whose parameters are in order.
    struct Prepared: Sendable {
        let deadline: Duration
        let run: @Sendable (Call) async throws -> Outcome
    }

    /// A method that anyone may call, on a broker.
    static func anyone<Handled: HandledMethod>(_ type: Handled.Type, _ need: Need, of broker: Broker) -> Method {
        method(type, .anyone, need) { request, call in try await request.outcome(from: broker, for: call) }
    }

    /// A method of operators, on an administration, which permits each call or refuses it.
    static func operators<Handled: OperatorMethod>(
        _ type: Handled.Type,
        of administration: Administration
    ) -> Method {
        method(type, .operators, .evenLocked) { request, call in
            let caller = try await administration.permit(Handled.name, call.caller)
            return Outcome(result: try await request.answer(to: caller).json)
        }
    }

    private static func method<Handled: BrokerMethod>(
        _ type: Handled.Type,
        _ permission: Permission,
        _ need: Need,
        _ run: @escaping @Sendable (Handled, Call) async throws -> Outcome
    ) -> Method {
        Method(
            permission: permission,
            need: need,
            name: Handled.name,
            changesState: Handled.changesState
        ) { params throws(JSONRPCError) in
            let request = try Handled(params: params)
            return Prepared(deadline: request.deadline) { try await run(request, $0) }
        }
    }
}

/// A method that the server can answer: decode has been done, so call and encode.
protocol HandledMethod: BrokerMethod {
    /// Asks the broker.
    func answer(from broker: Broker, for call: Call) async throws -> Answer
    /// Asks the broker, where the answer is more than a result.
    func outcome(from broker: Broker, for call: Call) async throws -> Outcome
}

extension HandledMethod {
    func outcome(from broker: Broker, for call: Call) async throws -> Outcome {
        Outcome(result: try await answer(from: broker, for: call).json)
    }
}

/// A method of operators that the server can answer: decoded and permitted, so call and encode.
protocol OperatorMethod: BrokerMethod {
    /// Has the operator do it.
    func answer(to caller: Operator) async throws -> Answer
}
