/// The rejection of a request, which contains no secret and is sent to the caller without ``detail``.
public struct Refusal: Error, Hashable, Sendable {
    /// The reasons for which a request can be rejected.
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

    /// The kinds of details that a refusal can contain.
    public enum Fact: Hashable, Sendable, CaseIterable {
        case state
        case revision
        /// The name of the limit that was reached.
        case limit
        case check
        /// The configuration that a policy lacks.
        case missing
        /// The requested resource (RFC 8707).
        case resource
    }

    /// The problems with requested scopes that error responses distinguish.
    public enum ScopeProblem: Hashable, Sendable, CaseIterable {
        /// The request contains no scope, and the client has no default scopes.
        case missing
        case severalAPIs
        case notPermitted
    }

    /// The reason for the rejection, which each protocol maps to its own error code.
    public let reason: Reason
    /// The human-readable message.
    public private(set) var text: Text
    /// The time until the caller may try again, in milliseconds, or `nil` if waiting does not help.
    public var retryAfterMs: Int64?
    /// The fields with invalid values, each with its problem.
    public var nodes: [NodeProblem] = []
    /// The accounts that the caller can choose from.
    public var candidates: [Candidate] = []
    /// Additional details, by kind.
    public var facts: [Fact: String] = [:]
    /// The scope problem, or `nil` if the request was rejected for another reason.
    public var scopeProblem: ScopeProblem?
    /// The cause of the rejection, which is written to the log only.
    public var detail: String?

    /// Creates a refusal with a reason and a human-readable message.
    public init(_ reason: Reason, _ text: Text) {
        self.reason = reason
        self.text = text
    }

    /// Returns a copy of the refusal that tells the caller to try again after the given time.
    public func retrying(afterMs milliseconds: Int64) -> Refusal {
        var copy = self
        copy.retryAfterMs = milliseconds
        return copy
    }

    /// Returns a copy of the refusal with a different message.
    public func saying(_ text: Text) -> Refusal {
        var copy = self
        copy.text = text
        return copy
    }

    /// Returns a copy of the refusal with an additional detail.
    public func with(_ fact: Fact, _ value: String) -> Refusal {
        var copy = self
        copy.facts[fact] = value
        return copy
    }

    /// Returns a copy of the refusal with the given scope problem.
    public func with(_ problem: ScopeProblem) -> Refusal {
        var copy = self
        copy.scopeProblem = problem
        return copy
    }

    /// Returns a copy of the refusal with the given cause, which is written to the log only.
    public func because(_ detail: String) -> Refusal {
        var copy = self
        copy.detail = detail
        return copy
    }

    /// An account that the caller can choose.
    public struct Candidate: Hashable, Sendable {
        /// The opaque account id.
        public let account: String
        /// The sign-in name.
        public let username: String

        /// Creates a candidate.
        public init(account: String, username: String) {
            self.account = account
            self.username = username
        }
    }
}
