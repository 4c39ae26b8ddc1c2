public import FlowModel
import OAuth

/// The handlers of a client and the steps that each answers.
public struct ChallengeHandlers: Sendable {
    /// The steps that a handler answers.
    public enum Subject: Hashable, Sendable {
        /// The steps of one check, by its name in `checks.yaml`.
        case check(String)
        /// The steps of one realm, by the name that its identity provider has in `checks.yaml`.
        case realm(String)
        /// The steps of one type, for example `password`.
        case type(String)
        /// All steps without another handler.
        case any

        fileprivate var isNamed: Bool {
            switch self {
            case .check(let name), .realm(let name), .type(let name): !name.isEmpty
            case .any: true
            }
        }
    }

    private var handlers: [Subject: any ChallengeHandler]

    /// The handlers of the enclosing scopes, innermost first; they take precedence over the client's.
    @TaskLocal static var scoped: [ChallengeHandlers] = []

    /// Makes handlers with `fallback` alone, which answers any step.
    public init(fallback: (any ChallengeHandler)? = nil) {
        handlers = [:]
        handlers[.any] = fallback
    }

    /// Returns the handlers with one more, which replaces one for the same steps.
    ///
    /// A check, a realm or a type without a name is a fault of the program, which ends there: no step would ever come to the
    /// handler.
    public func adding(_ handler: any ChallengeHandler, for subject: Subject) -> ChallengeHandlers {
        precondition(subject.isNamed, "a handler is for a check, a realm or a type with a name")
        var copy = self
        copy.handlers[subject] = handler
        return copy
    }

    /// Returns the handler for `step`: the one for its check, else for its realm, its type, or any step.
    public func handler(for step: Step) -> (any ChallengeHandler)? {
        step.check.flatMap { handlers[.check($0)] } ?? step.data?["realm"]?.string.flatMap { handlers[.realm($0)] }
            ?? handlers[.type(step.type.rawValue)] ?? handlers[.any]
    }

    /// Returns the handler for `step` of the innermost enclosing scope that has one, else of these.
    func innermostHandler(for step: Step) -> (any ChallengeHandler)? {
        for scope in Self.scoped {
            if let handler = scope.handler(for: step) { return handler }
        }
        return handler(for: step)
    }
}

extension BrokerClient {
    /// Answers steps with `handler` while `body` runs, in everything that it calls.
    public nonisolated func withHandler<Result>(
        _ handler: any ChallengeHandler,
        for subject: ChallengeHandlers.Subject = .any,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        let scope = ChallengeHandlers().adding(handler, for: subject)
        return try await ChallengeHandlers.$scoped.withValue([scope] + ChallengeHandlers.scoped) { try await body() }
    }
}
