/// Why a request of the socket is refused: the codes 1001 to 1024, with what helps the caller.
///
/// ``message`` and the other members go on the wire; ``detail`` goes into the log only. Neither holds a secret.
public struct Refusal: Error, Hashable, Sendable {
    /// The stable words; ``code`` is the number of each.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        case interactionRequired = "interaction_required"
        case flowNotFound = "flow_not_found"
        case flowFinished = "flow_finished"
        case staleStep = "stale_step"
        case submissionInProgress = "submission_in_progress"
        case invalidAnswer = "invalid_answer"
        case blocked
        case unmetAuthenticationRequirements = "unmet_authentication_requirements"
        case unsupportedStep = "unsupported_step"
        case unknownPolicy = "unknown_policy"
        case unknownCheck = "unknown_check"
        case scopeDenied = "scope_denied"
        case limitExceeded = "limit_exceeded"
        case providerUnavailable = "provider_unavailable"
        case providerProtocol = "provider_protocol"
        case expiredStep = "expired_step"
        case shuttingDown = "shutting_down"
        case notPermitted = "not_permitted"
        case accountAmbiguous = "account_ambiguous"
        case wrongUser = "wrong_user"
        case locked
        case unknownClient = "unknown_client"
        case accountNotFound = "account_not_found"
        case storageFailed = "storage_failed"

        /// The JSON-RPC error code: 1001 and on, in the order above.
        public var code: Int {
            1001 + (Self.allCases.firstIndex(of: self) ?? 0)
        }
    }

    /// Why.
    public let reason: Reason
    /// A sentence for people.
    public let message: String
    /// Milliseconds after which it makes sense to try again.
    public var retryAfterMs: Int64?
    /// What is wrong with which answer.
    public var nodes: [NodeProblem] = []
    /// The accounts of which one must be named, as `account.list` shows them: account and username.
    public var candidates: [Candidate] = []
    /// Other members of `data` that help: `state`, `rev`, `limit`, `check`, `missing`.
    public var facts: [String: String] = [:]
    /// What happened, for the log only.
    public var detail: String?

    /// A refusal.
    public init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    /// The same refusal with a time to wait.
    public func retrying(afterMs milliseconds: Int64) -> Refusal {
        var copy = self
        copy.retryAfterMs = milliseconds
        return copy
    }

    /// The same refusal with one more member of `data`.
    public func with(_ name: String, _ value: String) -> Refusal {
        var copy = self
        copy.facts[name] = value
        return copy
    }

    /// The same refusal with what the log should know.
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

        /// An account that may be meant.
        public init(account: String, username: String) {
            self.account = account
            self.username = username
        }
    }
}
