import Administration
import Broker
import BrokerAPI
import FlowModel
import Moments
import OAuth

struct Method: Sendable {
    let description: MethodDescription
    let permission: MethodDescription.Permission
    let prepare: @Sendable ([String: JSONValue]) throws(JSONRPCError) -> Prepared

    /// A call whose parameters have been checked.
    struct Prepared: Sendable {
        /// The client that the call's own parameters specify, or `nil` if they specify no client.
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

    /// Creates a method that all callers are allowed to use and whose result can affect the connection.
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

    /// Creates a method whose calls `Administration` permits only to operators.
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
                // Check the caller first: every call is audited, and only operators learn which parameters are valid.
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
    /// The connection's most recent `broker.hello` call, or `nil` if there was none.
    let hello: BrokerHello?
    let limits: SocketLimits
}

struct MethodResult: Sendable {
    let result: JSONValue
    /// The conditions for reusing the response, or `nil` if the response must not be reused.
    var memo: Memo?
    /// The `broker.hello` call that applies to later calls on the connection, or `nil` if another method was called.
    var hello: BrokerHello?
    /// The subscription whose notifications follow the response on the connection, or `nil` if there is none.
    var subscription: TokenSubscription?

    struct Memo: Hashable, Sendable {
        /// The id of the account whose use is recorded whenever the response is reused.
        let account: String
        /// The value of `TokenDesk.generation(uid:)` before the cache was read; reuse ends when it changes.
        let generation: Int64
        let usableUntil: Deadline
        /// The object that records the uses of the token, or `nil` if they are not recorded.
        var use: TokenUseRecord?
    }
}

/// The time limit of a call, and whether the call also ends early if its caller disconnects.
struct CallDeadline: Sendable {
    /// The maximum duration of the call, measured from the start of its execution.
    let duration: Duration
    /// Whether the call continues after its caller has disconnected, which is the case for calls that change state.
    let survivesCaller: Bool
    var clock: any Clock<Duration> = ContinuousClock()

    struct Passed: Error {
        let seconds: Int64
    }

    /// Runs `operation`, and throws ``Passed`` at the deadline without waiting for the cancelled operation to end.
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
