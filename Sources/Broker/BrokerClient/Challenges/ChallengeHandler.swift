/// Answers the steps of flows.
///
/// A handler has the five events that frameworks with challenge handlers define. A challenge arrives when
/// ``answer(_:)`` is called. The handler answers it by returning ``Answer/fields(_:)``, or cancels it by returning
/// ``Answer/cancel(reason:)``. The flow then succeeds or fails.
///
/// A handler must either return an answer or throw an error, so that no flow waits for a forgotten prompt. A handler
/// that does neither is abandoned when its step expires. An error that it throws ends the flow, and is rethrown by the
/// call that needed the flow.
public protocol ChallengeHandler: Sendable {
    /// Answers a step. While the step stays open, this is called again with the refusal of the previous answer.
    func answer(_ challenge: Challenge) async throws -> Answer

    /// Called once after a flow has succeeded, if this handler answered one of its steps. The call that needed the flow
    /// waits for this method.
    func succeeded(_ success: ChallengeSuccess) async

    /// Called once after a flow has ended without success, if this handler was called for one of its steps.
    func failed(_ failure: ChallengeFailure) async
}

extension ChallengeHandler {
    /// The default implementation does nothing.
    public func succeeded(_ success: ChallengeSuccess) async {}

    /// The default implementation does nothing.
    public func failed(_ failure: ChallengeFailure) async {}
}

/// A handler that consists of closures.
public struct ChallengeResponder: ChallengeHandler {
    private let respond: @Sendable (Challenge) async throws -> Answer
    private let onSuccess: @Sendable (ChallengeSuccess) async -> Void
    private let onFailure: @Sendable (ChallengeFailure) async -> Void

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - succeeded: Called after the flow has succeeded.
    ///   - failed: Called after the flow has ended without success.
    ///   - respond: Answers a step.
    public init(
        succeeded: @escaping @Sendable (ChallengeSuccess) async -> Void = { _ in },
        failed: @escaping @Sendable (ChallengeFailure) async -> Void = { _ in },
        _ respond: @escaping @Sendable (Challenge) async throws -> Answer
    ) {
        onSuccess = succeeded
        onFailure = failed
        self.respond = respond
    }

    /// Answers a step by calling the closure.
    public func answer(_ challenge: Challenge) async throws -> Answer { try await respond(challenge) }

    /// Calls the success closure.
    public func succeeded(_ success: ChallengeSuccess) async { await onSuccess(success) }

    /// Calls the failure closure.
    public func failed(_ failure: ChallengeFailure) async { await onFailure(failure) }
}
