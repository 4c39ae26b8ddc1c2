import Administration
import Broker
import BrokerAPI
import FlowModel
import Moments
import OAuth

/// A method of the socket with its handler.
struct Method: Sendable {
    /// The description of the method.
    let description: MethodDescription
    /// The callers that its handler serves; every call of operators is permitted and audited.
    let permission: MethodDescription.Permission
    /// Reads parameters.
    let prepare: @Sendable ([String: JSONValue]) throws(JSONRPCError) -> Prepared

    /// A call whose parameters have been checked.
    struct Prepared: Sendable {
        /// The client that the call itself names.
        var client: String?
        let deadline: CallDeadline
        let run: @Sendable (Call) async throws -> MethodResult
    }

    /// A method that anyone may call.
    static func anyone<Handled: BrokerMethod>(
        _ type: Handled.Type,
        _ answer: @escaping @Sendable (Handled, Call) async throws -> Handled.Answer
    ) -> Method {
        connected(type) { request, call in MethodResult(result: Handled.result(try await answer(request, call))) }
    }

    /// A method that anyone may call, with a result that has effects on the connection.
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

    /// A method of operators; the administration permits or refuses each call.
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
                // Parameters are looked at last: others than operators learn nothing from them, and every call is audited.
                let caller = try await call.administration.permit(description.name, call.caller)
                return MethodResult(result: Handled.result(try await answer(request.get(), caller)))
            }
        }
    }
}

/// One call on its way to a handler.
struct Call: Sendable {
    let broker: Broker
    let administration: Administration
    /// The caller, by the connection.
    let caller: Caller
    /// The connection's last `broker.hello`.
    let hello: BrokerHello?
    /// The limits of the socket.
    let limits: SocketLimits
}

/// The result of a handler, with its effects on the connection.
struct MethodResult: Sendable {
    /// The member `result`.
    let result: JSONValue
    /// The conditions under which the same request may be answered in the same way; nil if it may not.
    var memo: Memo?
    /// The caller's introduction, for the connection's later calls.
    var hello: BrokerHello?
    /// The notifications that are to follow over the connection.
    var subscription: TokenSubscription?

    /// The conditions under which an answer may be repeated.
    struct Memo: Hashable, Sendable {
        /// The account whose use is recorded.
        let account: String
        /// The uid's generation before anything was read.
        let generation: Int64
        /// The time until which it may be repeated.
        let usableUntil: Deadline
        /// The record of the token's use, if there is one.
        var use: TokenUseRecord?
    }
}

/// The time limit of a call; the one place that ends a call before its result is ready.
///
/// A call ends with its result, at its deadline, or when the caller has gone or the service ends, whichever is first.
struct CallDeadline: Sendable {
    /// The longest time, counted from when the call begins to run.
    let duration: Duration
    /// True if the call continues after its caller has gone: it changes state, and an answer being evaluated is already
    /// charged.
    let survivesCaller: Bool
    var clock: any Clock<Duration> = ContinuousClock()

    /// The error of a call that has exceeded its time.
    struct Passed: Error {
        let seconds: Int64
    }

    /// Runs `operation`, and throws ``Passed`` at the deadline at the latest.
    ///
    /// A late operation is cancelled but not awaited: a store that hangs must not hold up its callers.
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
