/// A handler that answers the steps of flows.
///
/// It answers or it throws, so that no flow is left waiting for a forgotten prompt. An error that it throws ends the
/// flow and is thrown by the call that needed it.
public protocol ChallengeHandler: Sendable {
    /// Answers a step; called again, with the refusal, for as long as the step stays open.
    func answer(_ challenge: Challenge) async throws -> Answer
}

/// A handler made of a closure.
public struct ChallengeResponder: ChallengeHandler {
    private let respond: @Sendable (Challenge) async throws -> Answer

    /// Makes a handler that answers with `respond`.
    public init(_ respond: @escaping @Sendable (Challenge) async throws -> Answer) {
        self.respond = respond
    }

    /// Answers a step.
    public func answer(_ challenge: Challenge) async throws -> Answer { try await respond(challenge) }
}
