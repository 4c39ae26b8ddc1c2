import Administration
import Broker
import BrokerAPI
import OAuth

/// A method of the socket with its handler.
struct Method: Sendable {
    /// The callers that a method is for.
    enum Permission: String, Sendable {
        /// Every uid, for its own data.
        case anyone
        /// Operators; the administration permits and audits every call.
        case operators
    }

    /// The relation of a method to the cache, which decides on calls while it is locked (contract §4, 1021).
    enum Need: Sendable {
        /// It reads or writes sealed data.
        case openCache
        /// It uses no sealed data.
        case evenLocked
    }

    let permission: Permission
    let need: Need
    /// The name on the wire.
    let name: String
    /// True if a call changes state.
    let changesState: Bool
    /// Reads parameters.
    let prepare: @Sendable ([String: JSONValue]) throws(JSONRPCError) -> Prepared

    /// A call whose parameters have been checked.
    struct Prepared: Sendable {
        /// The client that the call itself names.
        var client: String?
        let deadline: CallDeadline
        let run: @Sendable (Call) async throws -> MethodResult
    }

    /// A method that anyone may call, on a broker.
    static func anyone<Handled: HandledMethod>(_ type: Handled.Type, _ need: Need, of broker: Broker) -> Method {
        method(type, .anyone, need) { request, call in try await request.result(from: broker, for: call) }
    }

    /// A method of operators, on an administration, which permits or refuses each call.
    static func operators<Handled: OperatorMethod>(
        _ type: Handled.Type,
        of administration: Administration
    ) -> Method {
        Method(
            permission: .operators,
            need: .evenLocked,
            name: Handled.name,
            changesState: Handled.changesState
        ) { params throws(JSONRPCError) in
            let request = Result { () throws(JSONRPCError) in try Handled(params: params) }
            let longest = (try? request.get())?.deadline ?? .seconds(10)
            let deadline = CallDeadline(duration: longest, survivesCaller: Handled.changesState)
            return Prepared(deadline: deadline) { call in
                // Parameters are looked at last: others than operators learn nothing from them, and every call is audited.
                let caller = try await administration.permit(Handled.name, call.caller)
                return MethodResult(result: try await request.get().answer(to: caller).json)
            }
        }
    }

    private static func method<Handled: BrokerMethod>(
        _ type: Handled.Type,
        _ permission: Permission,
        _ need: Need,
        _ run: @escaping @Sendable (Handled, Call) async throws -> MethodResult
    ) -> Method {
        Method(
            permission: permission,
            need: need,
            name: Handled.name,
            changesState: Handled.changesState
        ) { params throws(JSONRPCError) in
            let request = try Handled(params: params)
            let deadline = CallDeadline(duration: request.deadline, survivesCaller: Handled.changesState)
            return Prepared(client: request.namedClient, deadline: deadline) { try await run(request, $0) }
        }
    }
}

/// A method that the server can answer: its parameters are decoded, so that a handler only calls and encodes.
protocol HandledMethod: BrokerMethod {
    /// Gets the answer from the broker.
    func answer(from broker: Broker, for call: Call) async throws -> Answer
    /// Gets the result from the broker, if it is more than the member `result`.
    func result(from broker: Broker, for call: Call) async throws -> MethodResult
}

extension HandledMethod {
    func result(from broker: Broker, for call: Call) async throws -> MethodResult {
        MethodResult(result: try await answer(from: broker, for: call).json)
    }
}

/// A method of operators that the server can answer: decoded and permitted.
protocol OperatorMethod: BrokerMethod {
    /// Lets the operator execute it.
    func answer(to caller: Operator) async throws -> Answer
}
