/// A handler that answers the steps of flows.
///
/// Five things happen to it, which users of challenge handlers know: a challenge comes (``answer(_:)`` is called), it is
/// answered (``Answer/fields(_:)`` is returned), it is cancelled (``Answer/cancel(reason:)`` is returned), and the flow
/// ends with success or without.
///
/// It answers or it throws, so that no flow is left waiting for a forgotten prompt; and one that does neither is given up
/// when its step has ended. An error that it throws ends the flow and is thrown by the call that needed it.
public protocol ChallengeHandler: Sendable {
    /// Answers a step; called again, with the refusal, for as long as the step stays open.
    func answer(_ challenge: Challenge) async throws -> Answer

    /// Called once after a flow whose step it answered has ended with success; the call that needed the flow waits for it.
    func succeeded(_ success: ChallengeSuccess) async

    /// Called once after a flow whose step it was asked for has ended without success.
    func failed(_ failure: ChallengeFailure) async
}

extension ChallengeHandler {
    /// Does nothing.
    public func succeeded(_ success: ChallengeSuccess) async {}

    /// Does nothing.
    public func failed(_ failure: ChallengeFailure) async {}
}

/// A handler made of closures.
public struct ChallengeResponder: ChallengeHandler {
    private let respond: @Sendable (Challenge) async throws -> Answer
    private let onSuccess: @Sendable (ChallengeSuccess) async -> Void
    private let onFailure: @Sendable (ChallengeFailure) async -> Void

    /// Makes a handler.
    ///
    /// - Parameters:
    ///   - succeeded: Called after the flow has ended with success.
    ///   - failed: Called after it has ended without.
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

    /// Answers a step.
    public func answer(_ challenge: Challenge) async throws -> Answer { try await respond(challenge) }

    /// Passes the success on.
    public func succeeded(_ success: ChallengeSuccess) async { await onSuccess(success) }

    /// Passes the failure on.
    public func failed(_ failure: ChallengeFailure) async { await onFailure(failure) }
}
