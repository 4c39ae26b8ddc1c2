/// A flow as its owner sees it: what has to be answered next, or how it ended.
///
/// Milliseconds are since 1970 UTC.
public struct Flow: Hashable, Sendable {
    /// The flow's name: `fl_` and 22 characters of base64url, which is 128 random bits.
    ///
    /// Stores keep its SHA-256 only.
    public let id: String
    /// Rises with every change.
    public let rev: Int
    /// The policy that runs.
    public let policy: String
    /// Where the flow stands.
    public let state: FlowState
    /// When the flow ends, whatever happens.
    public let expiresAt: Int64
    /// When the open step ends; the flow then goes on with a fresh one.
    public let stepExpiresAt: Int64?
    /// What the flow was started for.
    public let want: Want
    /// The one open step.
    public let step: Step?
    /// Milliseconds after which it makes sense to try again, if the flow failed as blocked.
    public let retryAfterMs: Int64?

    /// A flow as it is shown.
    public init(
        id: String,
        rev: Int,
        policy: String,
        state: FlowState,
        expiresAt: Int64,
        stepExpiresAt: Int64? = nil,
        want: Want,
        step: Step? = nil,
        retryAfterMs: Int64? = nil
    ) {
        self.id = id
        self.rev = rev
        self.policy = policy
        self.state = state
        self.expiresAt = expiresAt
        self.stepExpiresAt = stepExpiresAt
        self.want = want
        self.step = step
        self.retryAfterMs = retryAfterMs
    }

    /// What a flow was started for.
    public struct Want: Hashable, Sendable, Codable {
        /// The scopes of the token asked for; empty where none was.
        public let scopes: [String]
        /// The authentication contexts of which one must be reached (RFC 9470 §4).
        public let acrValues: [String]
        /// How many seconds ago the person may have proved who they are.
        public let maxAge: Int64?

        /// What a flow was started for.
        public init(scopes: [String] = [], acrValues: [String] = [], maxAge: Int64? = nil) {
            self.scopes = scopes
            self.acrValues = acrValues
            self.maxAge = maxAge
        }
    }
}

/// Where a flow stands.
public enum FlowState: Hashable, Sendable, Codable {
    /// A step wants an answer.
    case challenge
    /// Something outside is awaited.
    case pending
    /// The requirement is met.
    case succeeded
    /// It ended without success.
    case failed(FailureReason)
    /// Its owner, or a sign-out, ended it.
    case cancelled
    /// Its time ended.
    case expired

    /// Whether the flow has ended.
    public var isTerminal: Bool {
        switch self {
        case .challenge, .pending: false
        case .succeeded, .failed, .cancelled, .expired: true
        }
    }

    /// The word on the wire.
    public var name: String {
        switch self {
        case .challenge: "challenge"
        case .pending: "pending"
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .cancelled: "cancelled"
        case .expired: "expired"
        }
    }
}

/// Why a flow failed; the words on the wire.
public enum FailureReason: String, Hashable, Sendable, Codable, CaseIterable {
    /// A budget of attempts is used up.
    case blocked
    /// The answers can never be accepted: too many malformed ones, no consent, a user that is disabled.
    case denied
    /// A provider outside failed.
    case providerFailed = "provider_failed"
    /// The person ended it.
    case userCancelled = "user_cancelled"
    /// Its time ended while something was awaited.
    case expired
    /// The policy was changed meanwhile.
    case policyChanged = "policy_changed"
    /// Somebody else than the required user proved who they are.
    case wrongUser = "wrong_user"
    /// A fault of ours.
    case `internal`
}

/// What became of an answer.
public enum Verdict: String, Hashable, Sendable, Codable, CaseIterable {
    /// It was right and the flow has ended with success.
    case accepted
    /// It was wrong.
    case rejected
    /// It was right and another step follows.
    case next
}
