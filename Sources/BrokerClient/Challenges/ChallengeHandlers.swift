public import BrokerAPI

/// Who answers which steps.
public struct ChallengeHandlers: Sendable {
    /// Which steps a handler is for.
    public enum Subject: Hashable, Sendable {
        /// Those of one check, as `checks.yaml` names it.
        case check(String)
        /// Those of one type, for example `password`.
        case type(String)
        /// All that nobody else is for.
        case any
    }

    private var handlers: [Subject: any ChallengeHandler]

    /// Handlers of a scope, innermost first; they stand before those of the client.
    @TaskLocal static var scoped: [ChallengeHandlers] = []

    /// Nobody but `fallback`, who answers any step.
    public init(fallback: (any ChallengeHandler)? = nil) {
        handlers = [:]
        handlers[.any] = fallback
    }

    /// The same handlers with one more; it takes the place of one for the same steps.
    public func adding(_ handler: any ChallengeHandler, for subject: Subject) -> ChallengeHandlers {
        var copy = self
        copy.handlers[subject] = handler
        return copy
    }

    /// Who answers `step`: whoever is for its check, else for its type, else for any.
    public func handler(for step: StepDocument) -> (any ChallengeHandler)? {
        step.check.flatMap { handlers[.check($0)] } ?? handlers[.type(step.type)] ?? handlers[.any]
    }
}

extension BrokerClient {
    /// Answers steps by `handler` for as long as `body` runs, and in everything that `body` calls.
    public nonisolated func withHandler<Result>(
        _ handler: any ChallengeHandler,
        for subject: ChallengeHandlers.Subject = .any,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        let scope = ChallengeHandlers().adding(handler, for: subject)
        return try await ChallengeHandlers.$scoped.withValue([scope] + ChallengeHandlers.scoped) { try await body() }
    }

    /// Who answers `step` here and now.
    nonisolated func handler(for step: StepDocument) -> (any ChallengeHandler)? {
        for scope in ChallengeHandlers.scoped {
            if let handler = scope.handler(for: step) { return handler }
        }
        return handlers.handler(for: step)
    }
}
