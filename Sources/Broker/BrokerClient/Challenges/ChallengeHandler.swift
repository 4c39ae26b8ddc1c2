/// Answers the steps of flows.
///
/// A handler must return an answer or throw an error, so that no flow waits for a forgotten prompt. A handler that does
/// neither is abandoned when its step expires. A thrown error ends the flow, and is rethrown by the call that needed
/// the flow.
public protocol ChallengeHandler: Sendable {
    /// Answers a step. If the answer is refused and the step stays open, this method is called again with the refusal.
    func answer(_ challenge: Challenge) async throws -> Answer

    /// Called once after a flow has succeeded, if this handler answered one of its steps. The call that needed the flow
    /// waits for this method to return.
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

/// A handler that is implemented with closures.
public struct ChallengeResponder: ChallengeHandler {
    private let respond: @Sendable (Challenge) async throws -> Answer
    private let onSuccess: @Sendable (ChallengeSuccess) async -> Void
    private let onFailure: @Sendable (ChallengeFailure) async -> Void

    /// Creates a handler from closures.
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
