/// Answers the steps of flows.
///
/// A handler must return an answer or throw an error. An error ends the flow, and the call that needed the flow
/// rethrows the error. If the handler does not return, the client stops waiting for it shortly after the step expires.
public protocol ChallengeHandler: Sendable {
    /// Answers a step, and is called again with the broker's refusal if the step stays open after an answer.
    func answer(_ challenge: Challenge) async throws -> Answer

    /// Called after a flow has succeeded, if this handler answered one of its steps.
    ///
    /// The call that needed the flow waits for this method to return, but only for a limited time.
    func succeeded(_ success: ChallengeSuccess) async

    /// Called once after a flow has ended without success, if this handler was asked to answer one of its steps.
    func failed(_ failure: ChallengeFailure) async
}

extension ChallengeHandler {
    /// Does nothing by default.
    public func succeeded(_ success: ChallengeSuccess) async {}

    /// Does nothing by default.
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
