public import AuthorityStore
public import FlowModel

/// Attempts that were charged before an answer is looked at.
public struct ChargeTicket: Hashable, Sendable, Codable {
    /// The charges that a right answer gives back, in the commit that makes it count.
    public let settled: [ChargeKey]
    /// Answers of this origin that are left before the block.
    public let remaining: Int
    /// Answers there were.
    public let max: Int
    /// The milliseconds for which this origin is blocked if the answer is wrong; nil unless it was the last.
    public let blockedForMs: Int64?

    /// Attempts that were charged.
    public init(settled: [ChargeKey], remaining: Int, max: Int, blockedForMs: Int64?) {
        self.settled = settled
        self.remaining = remaining
        self.max = max
        self.blockedForMs = blockedForMs
    }

    /// True where a wrong answer leaves this origin blocked.
    public var isLast: Bool { remaining == 0 }
}

/// The state of the budgets of one check, subject and origin.
public struct AttemptStatus: Hashable, Sendable {
    /// Answers that are left before the block; 0 while blocked.
    public let remaining: Int
    /// Answers there were.
    public let max: Int
    /// Milliseconds until an answer is looked at again; 0 if one is now.
    public let retryAfterMs: Int64
    /// True where no answer is looked at only because too much is being evaluated: nobody is blocked then.
    public let isCrowded: Bool

    /// A state of budgets.
    public init(remaining: Int, max: Int, retryAfterMs: Int64, isCrowded: Bool = false) {
        self.remaining = remaining
        self.max = max
        self.retryAfterMs = retryAfterMs
        self.isCrowded = isCrowded
    }

    /// The refusal to ask for an answer; nil if it would be looked at.
    public var refusal: Refusal? {
        guard retryAfterMs > 0 else { return nil }
        return isCrowded ? Attempts.crowded(retryAfterMs) : Attempts.blocked(retryAfterMs)
    }
}
