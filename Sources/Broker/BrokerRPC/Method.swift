import Administration
import Broker
import BrokerAPI
import FlowModel
import Moments
import OAuth

/// One of the socket's methods, with its handler.
struct Method: Sendable {
    let description: MethodDescription
    let permission: MethodDescription.Permission
    let prepare: @Sendable ([String: JSONValue]) throws(JSONRPCError) -> Prepared

    /// A call whose parameters have been checked.
    struct Prepared: Sendable {
        /// The client that the call itself specifies, or `nil` if it does not specify a client.
        var client: String?
        let deadline: CallDeadline
        let run: @Sendable (Call) async throws -> MethodResult
    }

    static func anyone<Handled: BrokerMethod>(
        _ type: Handled.Type,
        _ answer: @escaping @Sendable (Handled, Call) async throws -> Handled.Answer
    ) -> Method {
        connected(type) { request, call in MethodResult(result: Handled.result(try await answer(request, call))) }
    }

    /// Creates a method that all callers are allowed to use and whose result affects the connection.
    static func connected<Handled: BrokerMethod>(
        _ type: Handled.Type,
        _ result: @escaping @Sendable (Handled, Call) async throws -> MethodResult
    ) -> Method {
        Method(description: Handled.description, permission: .anyone) { params throws(JSONRPCError) in
            let request = try Handled(params: params)
            let deadline = CallDeadline(
                duration: request.deadline,
                survivesCaller: Handled.description.changesState
            )
            return Prepared(client: request.namedClient, deadline: deadline) { call in
                try await result(request, call)
            }
        }
    }

    /// Creates a method for operators.
    ///
    /// `Administration` permits or refuses each call.
    static func operators<Handled: BrokerMethod>(
        _ type: Handled.Type,
        _ answer: @escaping @Sendable (Handled, Operator) async throws -> Handled.Answer
    ) -> Method {
        let description = Handled.description
        return Method(description: description, permission: .operators) { params throws(JSONRPCError) in
            let request = Result { () throws(JSONRPCError) in try Handled(params: params) }
            let longest = (try? request.get())?.deadline ?? .seconds(10)
            let deadline = CallDeadline(duration: longest, survivesCaller: description.changesState)
            return Prepared(deadline: deadline) { call in
                // Check the caller before the parameters, so that every call is audited and only operators learn which
                // parameters are valid.
                let caller = try await call.administration.permit(description.name, call.caller)
                return MethodResult(result: Handled.result(try await answer(request.get(), caller)))
            }
        }
    }
}

struct Call: Sendable {
    let broker: Broker
    let administration: Administration
    let caller: Caller
    /// The connection's most recent `broker.hello`, or `nil` if there was none.
    let hello: BrokerHello?
    let limits: SocketLimits
}

/// The result of a handler, including its effects on the connection.
struct MethodResult: Sendable {
    let result: JSONValue
    /// The conditions for reusing the response, or `nil` if it must not be reused.
    var memo: Memo?
    /// The `broker.hello` call to remember for later calls on the connection.
    var hello: BrokerHello?
    /// The notifications to send on the connection after the response, or `nil` if there are none.
    var subscription: TokenSubscription?

    struct Memo: Hashable, Sendable {
        /// The account whose use is recorded whenever the response is reused.
        let account: String
        /// The uid's generation, obtained from `TokenDesk.generation(uid:)` before the cache was read.
        let generation: Int64
        let usableUntil: Deadline
        /// The record of the token's uses, or `nil` if they are not recorded.
        var use: TokenUseRecord?
    }
}

/// The time limit for a call.
///
/// Only this type ends a call early: at the call's deadline, when the caller disconnects, or at shutdown.
struct CallDeadline: Sendable {
    /// The maximum duration, measured from when the call starts to run.
    let duration: Duration
    /// Whether the call continues after its caller has disconnected.
    ///
    /// `true` for calls that change state. For example, an answer that is being evaluated has already used up an
    /// attempt.
    let survivesCaller: Bool
    var clock: any Clock<Duration> = ContinuousClock()

    struct Passed: Error {
        let seconds: Int64
    }

    /// Runs `operation`, and throws ``Passed`` if it has not ended by the deadline.
    ///
    /// The operation is then cancelled but not awaited, because a store that does not respond must not block callers.
    func result<Success: Sendable>(of operation: @escaping @Sendable () async throws -> Success) async throws -> Success
    {
        let outcome = CallOutcome<Success>()
        let work = Task {
            do {
                outcome.finish(.success(try await operation()))
            } catch {
                outcome.finish(.failure(error))
            }
        }
        let timer = Task {
            guard (try? await clock.sleep(for: duration)) != nil else { return }
            work.cancel()
            outcome.finish(.failure(Passed(seconds: duration.components.seconds)))
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { outcome.deliver(to: $0) }
        } onCancel: {
            if survivesCaller { return }
            work.cancel()
            outcome.finish(.failure(CancellationError()))
        }
    }
}
