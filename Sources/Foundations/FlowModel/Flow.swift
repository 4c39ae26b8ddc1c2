/// A flow as reported to its owner, with all times in milliseconds since 1970 UTC.
public struct Flow: Hashable, Sendable {
    /// The flow's id, `fl_` with 22 base64url characters (128 random bits), of which only the SHA-256 hash is stored.
    public let id: String
    /// The revision, which increases with every change.
    public let rev: Int
    /// The policy that the flow runs.
    public let policy: String
    /// The current state of the flow.
    public let state: FlowState
    /// The time at which the flow expires, which is never extended.
    public let expiresAt: Int64
    /// The time at which the open step expires and the flow continues with a new step.
    public let stepExpiresAt: Int64?
    /// The requirements that the flow was started with.
    public let want: Want
    /// The open step, or `nil` if there is none.
    public let step: Step?
    /// The time in milliseconds until the user may try again, if the flow failed with the reason `blocked`.
    public let retryAfterMs: Int64?
    /// The page where the user continues the flow in a browser, if the caller requested a browser.
    public var browser: BrowserPlace?
    /// The opaque id of the account that the user signed in to, or `nil` if there is none.
    ///
    /// Only calls that start a flow or wait for it return this id.
    public var account: String?
    /// The message that explains the failure to the user, for example from an external service that rejected the user.
    public var message: String?
    /// The kind of attempts that were used up, or `nil` if the flow did not fail because of used-up attempts.
    public var usedUp: Tries?
    /// The user's identity at a custom identity provider, if the flow used one and succeeded.
    public var userIdentity: ExternalIdentity?
    /// The user or machine, other than the owner, whose browser opened the flow's link, or `nil` if there is none.
    public var openedBy: LinkOpener?
    /// The number of revisions that were created only to record that the flow's link was opened.
    public var openings = 0

    /// Creates the description of a flow.
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

    /// The kinds of attempts that a flow can use up.
    public enum Tries: String, Hashable, Sendable, Codable {
        /// Attempts at a check that identifies the user; the check is blocked temporarily when no attempts are left.
        case proof
        /// Attempts at a second factor or PIN of an identified user; the check is blocked when no attempts are left.
        case secondProof
        /// Malformed answers to one step, or answers of any kind in the whole flow.
        case step
    }

    /// The requirements that a flow was started with.
    public struct Want: Hashable, Sendable, Codable {
        /// The scopes of the requested token, or an empty array if no token was requested.
        public let scopes: [String]
        /// The acceptable authentication contexts (RFC 9470 §4).
        public let acrValues: [String]
        /// The maximum age of the authentication, in seconds, or `nil` for any age.
        public let maxAge: Int64?

        /// Creates the requirements of a flow, which are empty by default.
        public init(scopes: [String] = [], acrValues: [String] = [], maxAge: Int64? = nil) {
            self.scopes = scopes
            self.acrValues = acrValues
            self.maxAge = maxAge
        }
    }
}

/// The states of a flow.
public enum FlowState: Hashable, Sendable, Codable {
    /// A step is waiting for an answer.
    case challenge
    /// The flow is waiting for an external event.
    case pending
    case succeeded
    case failed(FailureReason)
    /// The flow was ended by its owner or by a sign-out.
    case cancelled
    case expired

    /// Whether the flow has ended.
    public var isTerminal: Bool {
        switch self {
        case .challenge, .pending: false
        case .succeeded, .failed, .cancelled, .expired: true
        }
    }

    /// The name of the state on the wire.
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

/// The reasons why a flow can fail, with their names on the wire.
public enum FailureReason: String, Hashable, Sendable, Codable, CaseIterable {
    /// A limit on attempts was reached.
    case blocked
    /// The flow cannot succeed: too many malformed answers, no consent, a disabled user, or an external service that
    /// rejects the user.
    case denied
    /// An external service did not respond, violated its protocol or was not called because too many calls were in
    /// progress, and the flow has no step to return to.
    case providerFailed = "provider_failed"
    case userCancelled = "user_cancelled"
    /// The flow expired while it was waiting for an external event.
    case expired
    case policyChanged = "policy_changed"
    /// A user other than the required one signed in.
    case wrongUser = "wrong_user"
    case `internal`
}

/// The result of evaluating an answer.
public enum Verdict: String, Hashable, Sendable, Codable, CaseIterable {
    /// The answer was correct, and the flow has succeeded.
    case accepted
    case rejected
    /// The answer was correct, and another step follows.
    case next
}
