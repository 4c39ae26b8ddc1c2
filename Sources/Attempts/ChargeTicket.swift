public import AuthorityStore
public import FlowModel

/// Attempts that were charged before an answer is looked at.
public struct ChargeTicket: Hashable, Sendable, Codable {
    /// What a right answer gives back, in the commit that makes it count.
    public let settled: [ChargeKey]
    /// Answers of this origin that are left before the block.
    public let remaining: Int
    /// Answers there were.
    public let max: Int
    /// How long this origin is blocked if the answer is wrong, in milliseconds; nil unless it was the last.
    public let blockedForMs: Int64?

    /// Attempts that were charged.
    public init(settled: [ChargeKey], remaining: Int, max: Int, blockedForMs: Int64?) {
        self.settled = settled
        self.remaining = remaining
        self.max = max
        self.blockedForMs = blockedForMs
    }

    /// Whether a wrong answer leaves this origin blocked.
    public var isLast: Bool { remaining == 0 }
}

/// What is left of the budgets of one check, subject and origin.
public struct AttemptStatus: Hashable, Sendable {
    /// Answers that are left before the block; 0 while blocked.
    public let remaining: Int
    /// Answers there were.
    public let max: Int
    /// Milliseconds until an answer is looked at again; 0 if one is now.
    public let retryAfterMs: Int64
    /// Whether no answer is looked at only because too many of everybody's are: nobody is blocked then.
    public let isCrowded: Bool

    /// What is left.
    public init(remaining: Int, max: Int, retryAfterMs: Int64, isCrowded: Bool = false) {
        self.remaining = remaining
        self.max = max
        self.retryAfterMs = retryAfterMs
        self.isCrowded = isCrowded
    }

    /// What whoever would be asked is told instead; nil if an answer would be looked at.
    public var refusal: Refusal? {
        guard retryAfterMs > 0 else { return nil }
        return isCrowded ? Attempts.crowded(retryAfterMs) : Attempts.blocked(retryAfterMs)
    }
}
