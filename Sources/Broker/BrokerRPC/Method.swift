import Administration
import Broker
import BrokerAPI
import FlowModel
import Moments
import OAuth

/// One of the socket's methods, with its handler.
struct Method: Sendable {
    let description: MethodDescription
    /// The callers that the handler accepts.
    ///
    /// The administration checks and audits every call by an operator.
    let permission: MethodDescription.Permission
    /// Checks and reads the parameters.
    let prepare: @Sendable ([String: JSONValue]) throws(JSONRPCError) -> Prepared

    /// A call whose parameters have been checked.
    struct Prepared: Sendable {
        /// The client that the call itself specifies, or `nil` if it does not specify one.
        var client: String?
        let deadline: CallDeadline
        let run: @Sendable (Call) async throws -> MethodResult
    }

    /// Creates a method that all callers are allowed to use.
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
    /// The administration permits or refuses each call.
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
                // The parameters are checked last, so that callers that are not operators learn nothing about them and
                // every call is audited.
                let caller = try await call.administration.permit(description.name, call.caller)
                return MethodResult(result: Handled.result(try await answer(request.get(), caller)))
            }
        }
    }
}

/// A call that is passed to a handler.
struct Call: Sendable {
    let broker: Broker
    let administration: Administration
    /// The caller, as identified by the connection.
    let caller: Caller
    /// The connection's most recent `broker.hello`, or `nil` if there was none.
    let hello: BrokerHello?
    let limits: SocketLimits
}

/// The result of a handler, including its effects on the connection.
struct MethodResult: Sendable {
    /// The `result` member of the response.
    let result: JSONValue
    /// How long the same response can be reused, or `nil` if it must not be reused.
    var memo: Memo?
    /// The `broker.hello` that applies to the connection's later calls, or `nil`.
    var hello: BrokerHello?
    /// The notifications to send on the connection after the response.
    var subscription: TokenSubscription?

    /// How long a response can be reused.
    struct Memo: Hashable, Sendable {
        /// The account whose use is recorded whenever the response is reused.
        let account: String
        /// The number of changes affecting the uid, as counted before the cache was read.
        let generation: Int64
        /// The deadline after which the response must not be reused.
        let usableUntil: Deadline
        /// The record of the token's uses, or `nil` if they are not recorded.
        var use: TokenUseRecord?
    }
}

/// The time limit for a call.
///
/// Only this type ends a call before its result is ready. A call ends with its result, at its deadline, when the caller
/// disconnects, or when the service shuts down. The first of these counts.
struct CallDeadline: Sendable {
    /// The maximum duration, measured from when the call starts to run.
    let duration: Duration
    /// Whether the call continues after its caller has disconnected.
    ///
    /// A call that changes state continues, because an answer that is being evaluated has already been charged.
    let survivesCaller: Bool
    var clock: any Clock<Duration> = ContinuousClock()

    /// The error thrown if a call exceeds its deadline.
    struct Passed: Error {
        let seconds: Int64
    }

    /// Runs `operation`, and throws ``Passed`` if it has not ended by the deadline.
    ///
    /// An operation that exceeds the deadline is cancelled but not awaited, because a store that does not respond must
    /// not block callers.
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
