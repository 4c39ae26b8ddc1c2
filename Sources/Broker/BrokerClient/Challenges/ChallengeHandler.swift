/// Answers the steps of flows.
///
/// A handler must return an answer or throw an error, so that no flow waits for a forgotten prompt. If a handler does
/// neither, the client stops waiting for it shortly after the step expires. An error that a handler throws ends the
/// flow, and the call that needed the flow throws the same error.
public protocol ChallengeHandler: Sendable {
    /// Answers a step.
    ///
    /// If the broker refuses the answer and the step stays open, this method is called again with the refusal.
    func answer(_ challenge: Challenge) async throws -> Answer

    /// Called once after a flow has succeeded, if this handler answered one of its steps.
    ///
    /// The call that needed the flow waits for this method to return.
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
