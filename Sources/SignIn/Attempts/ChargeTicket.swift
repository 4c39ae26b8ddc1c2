public import AuthorityStore
public import FlowModel

/// The charges that are made for an attempt before its answer is evaluated.
public struct ChargeTicket: Hashable, Sendable {
    /// The charges to refund in the commit that records the answer, if the answer is correct.
    public let settled: [ChargeKey]
    /// The number of answers that the attempt's origin has left before the origin is blocked.
    public let remaining: Int
    /// The number of answers allowed for an origin that has given no wrong answer.
    public let max: Int
    /// The length of the block after a wrong answer, in milliseconds, or `nil` if there is none or it is unknown.
    public let blockedForMs: Int64?
    /// Whether the answer counts as wrong without being evaluated, because a hidden daily limit is reached.
    ///
    /// The caller must not detect this, because it reveals which names belong to one user.
    public let isVoid: Bool

    /// Whether a wrong answer blocks the attempt's origin.
    public var isLast: Bool { remaining == 0 }
}

/// The attempts that one origin has left for one check and subject.
public struct AttemptStatus: Hashable, Sendable {
    /// The number of answers left before the origin is blocked, or 0 during a block.
    public let remaining: Int
    /// The number of answers allowed for an origin that has given no wrong answer.
    public let max: Int
    /// The number of milliseconds until answers are evaluated again, or 0 if answers are evaluated now.
    public let retryAfterMs: Int64
    /// Whether answers are rejected because a limit on evaluations is reached, and not because of a block.
    public internal(set) var isCrowded = false

    /// The refusal to show instead of a prompt, or `nil` if an answer would be evaluated.
    public var refusal: Refusal? {
        guard retryAfterMs > 0 else { return nil }
        return isCrowded ? Attempts.crowded(retryAfterMs) : Attempts.blocked(retryAfterMs)
    }
}
