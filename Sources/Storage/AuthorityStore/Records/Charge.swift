public import Origins

/// The name of an attempt budget.
///
/// The name does not reveal the user that the budget protects.
public struct BudgetKey: Hashable, Sendable, Codable {
    /// A keyed hash: 43 characters of base64url.
    public let text: String

    /// Creates a name from a hash.
    public init(_ text: String) {
        self.text = text
    }
}

/// One charge against one budget.
public struct Charge: Hashable, Sendable {
    /// How a budget is refilled.
    public enum Rule: Hashable, Sendable {
        /// At most `max` charges per period. A period starts with its first charge.
        case window(max: Int, period: Duration)
        /// One total per period, shared by all origins.
        case shared(SharedRate)
        /// One origin level's share of the budget `of`: at most `max` charges, and at most what that budget's rate
        /// permits. The budget `of` is charged first.
        case share(max: Int, of: BudgetKey, SharedRate)
        /// At most `max` charges, followed by a block. Each block is `factor` times as long as the previous one,
        /// starting at `block` and up to `longest`.
        ///
        /// A day without a charge resets the budget.
        case block(max: Int, block: Duration, factor: Int, longest: Duration)
    }

    /// The name of the budget.
    public let key: BudgetKey
    /// The keyed hash of the subject that the budget protects, or `nil` if the budget cannot be unlocked.
    ///
    /// An operator unlocks all budgets of one subject together.
    public let subject: BudgetKey?
    /// How the budget is refilled.
    public let rule: Rule
    /// The budgets that can waive this charge.
    ///
    /// The charge is not made if one of these budgets has recorded a correct answer.
    public let exemptIfProven: [BudgetKey]

    /// Creates a charge.
    public init(key: BudgetKey, subject: BudgetKey?, rule: Rule, exemptIfProven: [BudgetKey] = []) {
        self.key = key
        self.subject = subject
        self.rule = rule
        self.exemptIfProven = exemptIfProven
    }

    /// Whether a block starts when this charge brings the budget's count to `used`.
    func blocks(after used: Int) -> Bool {
        switch rule {
        case .block(let max, let block, _, _): used >= max && block > .zero
        case .window, .shared, .share: false
        }
    }
}

/// A total per period that all origins share.
public struct SharedRate: Hashable, Sendable {
    /// Which origins may use the reserved part.
    public enum Standing: Hashable, Sendable {
        /// Origins from which a user signed in within the last 90 days.
        case known(OriginLevels)
        /// Origins for which one of these budgets has recorded a correct answer.
        case proven([BudgetKey])
    }

    /// The total, and how it is divided.
    public let total: SharedTotal
    /// The length of a period.
    public let period: Duration
    /// Which origins may use the reserved part.
    public let standing: Standing

    /// Creates a total for each period.
    public init(_ total: SharedTotal, period: Duration, reservedFor standing: Standing) {
        self.total = total
        self.period = period
        self.standing = standing
    }
}

/// A charge that was made.
///
/// A correct answer refunds the charge.
public struct ChargeKey: Hashable, Sendable, Codable {
    /// The name of the budget.
    public let key: BudgetKey
    /// The number of the period in which the budget was charged, or `nil` if a correct answer refunds all charges.
    public let period: Int64?
}

/// A budget that records a correct answer although the answer was not charged to it.
public struct ProvenBudget: Hashable, Sendable {
    /// The name of the budget.
    public let key: BudgetKey
    /// The keyed hash of the subject that the budget protects.
    public let subject: BudgetKey

    /// Creates the description of a budget with a correct answer.
    public init(key: BudgetKey, subject: BudgetKey) {
        self.key = key
        self.subject = subject
    }
}

/// The result of making a set of charges.
///
/// Either all of the charges are made, or none.
public enum ChargeOutcome: Hashable, Sendable {
    /// All charges were made.
    ///
    /// `keys` is in the order of the charges, and `used` is each budget's count after its charge.
    case charged(keys: [ChargeKey], used: [Int])
    /// No charge was made, because `charges[index]` would exceed its budget.
    case blocked(index: Int, retryAfterMs: Int64)
}

/// The state of a budget.
public struct Budget: Hashable, Sendable {
    /// The number of attempts charged in this period, or since the last block or correct answer.
    public let used: Int
    /// The milliseconds until the budget permits another charge.
    ///
    /// The value is 0 if the budget permits a charge now.
    public let retryAfterMs: Int64
    /// Whether a block has started and nothing has been charged since then.
    ///
    /// The block is over if ``retryAfterMs`` is 0.
    public let hasBlock: Bool
    /// Whether the budget has recorded a correct answer.
    public let proven: Bool
}
