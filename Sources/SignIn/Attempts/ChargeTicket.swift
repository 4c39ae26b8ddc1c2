public import AuthorityStore
public import FlowModel

/// The charges for an attempt, made before its answer is evaluated.
public struct ChargeTicket: Hashable, Sendable {
    /// The charges to refund if the answer is right, in the commit that records it.
    public let settled: [ChargeKey]
    /// The number of answers that this origin has left before it is blocked.
    public let remaining: Int
    /// The number of answers that an origin has before its first wrong one.
    public let max: Int
    /// How long this origin is blocked if the answer is wrong, in milliseconds, or `nil` if the answer is not the last
    /// one allowed or the time is unknown.
    public let blockedForMs: Int64?
    /// Whether the answer counts as wrong without being evaluated, because the daily limit that covers all of the
    /// user's names is reached.
    ///
    /// The caller must not be able to tell this from a wrong answer. Otherwise, the caller could learn which names
    /// belong to one user.
    public let isVoid: Bool

    /// Whether this origin is blocked if the answer is wrong.
    public var isLast: Bool { remaining == 0 }
}

/// The budgets that one origin has left for one check and subject.
public struct AttemptStatus: Hashable, Sendable {
    /// The number of answers left before the origin is blocked; 0 during a block.
    public let remaining: Int
    /// The number of answers that an origin has before its first wrong one.
    public let max: Int
    /// The time until answers are evaluated again, in milliseconds; 0 if answers are evaluated now.
    public let retryAfterMs: Int64
    /// Whether answers are rejected only because the service is evaluating too many of them.
    ///
    /// No user is blocked in this case.
    public internal(set) var isCrowded = false

    /// The refusal to show instead of a prompt, or `nil` if an answer would be evaluated.
    public var refusal: Refusal? {
        guard retryAfterMs > 0 else { return nil }
        return isCrowded ? Attempts.crowded(retryAfterMs) : Attempts.blocked(retryAfterMs)
    }
}
