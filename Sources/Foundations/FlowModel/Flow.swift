/// A flow as its owner sees it: the open question, or the end it came to.
///
/// Milliseconds are since 1970 UTC.
public struct Flow: Hashable, Sendable {
    /// The flow's name: `fl_` and 22 characters of base64url, which is 128 random bits.
    ///
    /// Stores keep its SHA-256 only.
    public let id: String
    /// The revision; it rises with every change.
    public let rev: Int
    /// The policy that runs.
    public let policy: String
    /// The state.
    public let state: FlowState
    /// The end of the flow's life, which nothing extends.
    public let expiresAt: Int64
    /// The end of the open step; the flow then goes on with a fresh one.
    public let stepExpiresAt: Int64?
    /// The demands that the flow was started with.
    public let want: Want
    /// The one open step.
    public let step: Step?
    /// Milliseconds after which to try again, if the flow failed as blocked.
    public let retryAfterMs: Int64?
    /// The place where a browser continues it, in the answer to a request that asks for one.
    public var browser: BrowserPlace?
    /// The account of who signed in elsewhere, in the answer to whoever waited for it.
    public var account: String?
    /// The sentence that ended it, where a service that its policy asks has turned the person away.
    public var message: String?
    /// The tries that were used up, where that ended it.
    public var usedUp: Tries?
    /// The person as a custom identity provider knows them, where the flow has asked one and has succeeded.
    public var userIdentity: ExternalIdentity?
    /// The other user, or the machine, whose browser opened the flow's link; nil if only browsers of its owner did.
    public var openedBy: LinkOpener?
    /// The number of revisions that record an opening of the link, and change nothing else.
    public var openings = 0

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

    /// The tries that a flow can use up.
    public enum Tries: String, Hashable, Sendable, Codable {
        /// Those of a check that says who somebody is; it is blocked for a time.
        case proof
        /// Those of a check that is asked of a known person: a second factor, a PIN; it is blocked for a time.
        case secondProof
        /// Answers that cannot be taken, at one step, and answers of one flow as a whole.
        case step
    }

    /// The demands that a flow was started with.
    public struct Want: Hashable, Sendable, Codable {
        /// The scopes of the requested token; empty if none was requested.
        public let scopes: [String]
        /// The authentication contexts of which one must be reached (RFC 9470 §4).
        public let acrValues: [String]
        /// The greatest age of the proof of identity, in seconds.
        public let maxAge: Int64?

        /// Names the demands; those left out ask for nothing.
        public init(scopes: [String] = [], acrValues: [String] = [], maxAge: Int64? = nil) {
            self.scopes = scopes
            self.acrValues = acrValues
            self.maxAge = maxAge
        }
    }
}

/// The states of a flow.
public enum FlowState: Hashable, Sendable, Codable {
    /// A step waits for an answer.
    case challenge
    /// The flow waits for something outside.
    case pending
    /// The requirement is met.
    case succeeded
    /// It ended without success.
    case failed(FailureReason)
    /// Its owner, or a sign-out, ended it.
    case cancelled
    /// Its time ended.
    case expired

    /// True if the flow has ended.
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

/// The reasons for a flow's failure; the words on the wire.
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
    /// An internal error.
    case `internal`
}

/// The result of evaluating an answer.
public enum Verdict: String, Hashable, Sendable, Codable, CaseIterable {
    /// It was right and the flow has ended with success.
    case accepted
    /// It was wrong.
    case rejected
    /// It was right and another step follows.
    case next
}
