/// Somebody who answers steps.
///
/// It answers or it throws; there is no third way, so no flow is left waiting for a prompt that was forgotten. What it
/// throws ends the flow and comes out of the call that needed it.
public protocol ChallengeHandler: Sendable {
    /// Answers a step; called again, with what was wrong, for as long as the step stays open.
    func answer(_ challenge: Challenge) async throws -> Answer
}

/// A handler that is a closure.
public struct ChallengeResponder: ChallengeHandler {
    private let respond: @Sendable (Challenge) async throws -> Answer

    /// Answers as `respond` does.
    public init(_ respond: @escaping @Sendable (Challenge) async throws -> Answer) {
        self.respond = respond
    }

    /// Answers a step.
    public func answer(_ challenge: Challenge) async throws -> Answer { try await respond(challenge) }
}
