public import AuthorityStore
public import FlowModel

/// Attempts that were charged before an answer is evaluated.
public struct ChargeTicket: Hashable, Sendable {
    /// The charges that a correct answer gives back, in the commit that makes it count.
    public let settled: [ChargeKey]
    /// Answers of this origin left before the block.
    public let remaining: Int
    /// Answers that were allowed at first.
    public let max: Int
    /// Milliseconds for which this origin is blocked if the answer is wrong; nil unless it is the last.
    public let blockedForMs: Int64?
    /// Whether every answer counts as wrong, because the daily limit over all names of the user is reached.
    ///
    /// The caller must not be able to tell it from a wrong answer: it would tell which names belong to one user.
    public let isVoid: Bool

    /// True if a wrong answer blocks this origin.
    public var isLast: Bool { remaining == 0 }
}

/// The state of the budgets of one check, subject and origin.
public struct AttemptStatus: Hashable, Sendable {
    /// Answers left before the block; 0 while blocked.
    public let remaining: Int
    /// Answers that were allowed at first.
    public let max: Int
    /// Milliseconds until an answer is evaluated again; 0 if it is now.
    public let retryAfterMs: Int64
    /// True if answers are refused only because too many are being evaluated; no user is blocked then.
    public internal(set) var isCrowded = false

    /// The refusal to ask for an answer; nil if it would be evaluated.
    public var refusal: Refusal? {
        guard retryAfterMs > 0 else { return nil }
        return isCrowded ? Attempts.crowded(retryAfterMs) : Attempts.blocked(retryAfterMs)
    }
}
