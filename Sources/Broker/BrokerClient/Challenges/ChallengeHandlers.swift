public import FlowModel
import OAuth

/// A client's challenge handlers, and the steps that each handler answers.
public struct ChallengeHandlers: Sendable {
    /// Identifies the steps that a handler answers.
    public enum Subject: Hashable, Sendable {
        /// The steps of the check with the given name in `checks.yaml`.
        case check(String)
        /// The steps of the realm whose identity provider has the given name in `checks.yaml`.
        case realm(String)
        /// The steps of the given type, such as `password`.
        case type(String)
        /// All steps for which no other handler is registered.
        case any

        fileprivate var isNamed: Bool {
            switch self {
            case .check(let name), .realm(let name), .type(let name): !name.isEmpty
            case .any: true
            }
        }
    }

    private var handlers: [Subject: any ChallengeHandler]

    /// The handlers of the enclosing `withHandler` calls, innermost first; they are preferred to the client's handlers.
    @TaskLocal static var scoped: [ChallengeHandlers] = []

    /// Creates a set that contains only `fallback`, which answers all steps, or an empty set if `fallback` is `nil`.
    public init(fallback: (any ChallengeHandler)? = nil) {
        handlers = [:]
        handlers[.any] = fallback
    }

    /// Returns a copy in which `handler` answers the steps of `subject`, instead of any earlier handler for `subject`.
    ///
    /// The name of the check, realm or type in `subject` must not be empty.
    public func adding(_ handler: any ChallengeHandler, for subject: Subject) -> ChallengeHandlers {
        precondition(subject.isNamed, "the name of the check, realm or type must not be empty")
        var copy = self
        copy.handlers[subject] = handler
        return copy
    }

    /// Returns the handler for the step's check, realm, type or any step, in this order of preference.
    public func handler(for step: Step) -> (any ChallengeHandler)? {
        step.check.flatMap { handlers[.check($0)] } ?? step.data?["realm"]?.string.flatMap { handlers[.realm($0)] }
            ?? handlers[.type(step.type.rawValue)] ?? handlers[.any]
    }

    /// Returns the handler for `step` from the innermost enclosing `withHandler` call, or else from the client.
    func innermostHandler(for step: Step) -> (any ChallengeHandler)? {
        for scope in Self.scoped {
            if let handler = scope.handler(for: step) { return handler }
        }
        return handler(for: step)
    }
}

extension BrokerClient {
    /// Runs `body`, during which `handler` answers the steps that match `subject`.
    public nonisolated func withHandler<Result>(
        _ handler: any ChallengeHandler,
        for subject: ChallengeHandlers.Subject = .any,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        let scope = ChallengeHandlers().adding(handler, for: subject)
        return try await ChallengeHandlers.$scoped.withValue([scope] + ChallengeHandlers.scoped) { try await body() }
    }
}
