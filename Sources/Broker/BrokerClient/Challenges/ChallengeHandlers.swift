public import FlowModel
import OAuth

/// A client's handlers, each with the steps that it answers.
public struct ChallengeHandlers: Sendable {
    /// The steps that a handler answers.
    public enum Subject: Hashable, Sendable {
        /// The steps of the check with the given name in `checks.yaml`.
        case check(String)
        /// The steps of the realm whose identity provider has the given name in `checks.yaml`.
        case realm(String)
        /// The steps of the given type, such as `password`.
        case type(String)
        /// All steps for which there is no other handler.
        case any

        fileprivate var isNamed: Bool {
            switch self {
            case .check(let name), .realm(let name), .type(let name): !name.isEmpty
            case .any: true
            }
        }
    }

    private var handlers: [Subject: any ChallengeHandler]

    /// The handlers of the `withHandler` calls that enclose the current call, innermost first.
    ///
    /// These handlers take precedence over the client's handlers.
    @TaskLocal static var scoped: [ChallengeHandlers] = []

    /// Creates a set of handlers that contains only `fallback`, which answers any step.
    public init(fallback: (any ChallengeHandler)? = nil) {
        handlers = [:]
        handlers[.any] = fallback
    }

    /// Returns a copy that also contains `handler`, which replaces any existing handler for the same steps.
    ///
    /// An empty check, realm or type name is a programming error that stops the program.
    public func adding(_ handler: any ChallengeHandler, for subject: Subject) -> ChallengeHandlers {
        precondition(subject.isNamed, "the name of the check, realm or type must not be empty")
        var copy = self
        copy.handlers[subject] = handler
        return copy
    }

    /// Returns the most specific handler for a step: the handler for its check, its realm, its type, or any step, in
    /// this order of precedence.
    ///
    /// Returns `nil` if there is none.
    public func handler(for step: Step) -> (any ChallengeHandler)? {
        step.check.flatMap { handlers[.check($0)] } ?? step.data?["realm"]?.string.flatMap { handlers[.realm($0)] }
            ?? handlers[.type(step.type.rawValue)] ?? handlers[.any]
    }

    /// Returns the handler for `step` from the innermost `withHandler` that has a handler for it, or else the client's
    /// handler.
    func innermostHandler(for step: Step) -> (any ChallengeHandler)? {
        for scope in Self.scoped {
            if let handler = scope.handler(for: step) { return handler }
        }
        return handler(for: step)
    }
}

extension BrokerClient {
    /// Runs `body`, using `handler` to answer the steps of all calls that `body` makes.
    public nonisolated func withHandler<Result>(
        _ handler: any ChallengeHandler,
        for subject: ChallengeHandlers.Subject = .any,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        let scope = ChallengeHandlers().adding(handler, for: subject)
        return try await ChallengeHandlers.$scoped.withValue([scope] + ChallengeHandlers.scoped) { try await body() }
    }
}
