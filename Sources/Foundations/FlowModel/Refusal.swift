/// A request that is refused, with a typed reason and the facts that help the caller.
///
/// ``text`` and the other members reach the caller; ``detail`` goes into the log only. Neither holds a secret. The
/// numbers and words that a protocol has for each reason stand where that protocol is spoken.
public struct Refusal: Error, Hashable, Sendable {
    /// The reasons that callers tell apart.
    public enum Reason: Hashable, Sendable, CaseIterable {
        case interactionRequired
        case flowNotFound
        case flowFinished
        case staleStep
        case submissionInProgress
        case invalidAnswer
        case blocked
        case unmetAuthenticationRequirements
        case unsupportedStep
        case unknownPolicy
        case unknownCheck
        case scopeDenied
        case limitExceeded
        case providerUnavailable
        case providerProtocol
        case expiredStep
        case shuttingDown
        case notPermitted
        case accountAmbiguous
        case wrongUser
        case locked
        case unknownClient
        case accountNotFound
        case storageFailed
    }

    /// The kinds of facts that a refusal may name.
    public enum Fact: Hashable, Sendable, CaseIterable {
        /// The state in which a flow ended.
        case state
        /// The revision of the step that is open.
        case revision
        /// The limit that was reached.
        case limit
        /// The check that is concerned.
        case check
        /// The configuration that a policy lacks.
        case missing
        /// The resource that was named (RFC 8707).
        case resource
    }

    /// The kinds of problems with scopes that clients tell apart.
    public enum ScopeProblem: Hashable, Sendable, CaseIterable {
        /// None was named, and the client has no usual ones.
        case missing
        /// They are of several APIs.
        case severalAPIs
        /// The client may not ask for one of them.
        case notPermitted
    }

    /// The reason.
    public let reason: Reason
    /// The sentence for people.
    public private(set) var text: Text
    /// Milliseconds after which to try again.
    public var retryAfterMs: Int64?
    /// The invalid answers, each with its problem.
    public var nodes: [NodeProblem] = []
    /// The accounts of which one must be named, as `account.list` shows them: account and username.
    public var candidates: [Candidate] = []
    /// The other facts.
    public var facts: [Fact: String] = [:]
    /// The problem with the scopes, where it is one of those that clients tell apart.
    public var scopeProblem: ScopeProblem?
    /// The cause, for the log only.
    public var detail: String?

    /// Refuses with a reason and a sentence for people.
    public init(_ reason: Reason, _ text: Text) {
        self.reason = reason
        self.text = text
    }

    /// Adds the time after which to try again.
    public func retrying(afterMs milliseconds: Int64) -> Refusal {
        var copy = self
        copy.retryAfterMs = milliseconds
        return copy
    }

    /// Says something else to people, for the same reason.
    public func saying(_ text: Text) -> Refusal {
        var copy = self
        copy.text = text
        return copy
    }

    /// Adds a fact.
    public func with(_ fact: Fact, _ value: String) -> Refusal {
        var copy = self
        copy.facts[fact] = value
        return copy
    }

    /// Adds the problem with the scopes.
    public func with(_ problem: ScopeProblem) -> Refusal {
        var copy = self
        copy.scopeProblem = problem
        return copy
    }

    /// Adds the cause for the log.
    public func because(_ detail: String) -> Refusal {
        var copy = self
        copy.detail = detail
        return copy
    }

    /// An account that may be meant.
    public struct Candidate: Hashable, Sendable {
        /// The opaque id.
        public let account: String
        /// The sign-in name.
        public let username: String

        /// Names an account by its id and its sign-in name.
        public init(account: String, username: String) {
            self.account = account
            self.username = username
        }
    }
}
