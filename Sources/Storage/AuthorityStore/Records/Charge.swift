public import Origins

/// The name of an attempt budget.
///
/// It does not reveal the user that the budget protects.
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
        /// A share of the budget `of`, for one origin level. It permits at most `max` charges, and no more than the
        /// rate of that budget permits. The budget `of` is charged before its shares.
        case share(max: Int, of: BudgetKey, SharedRate)
        /// At most `max` charges, followed by a block. The first block lasts `block`, and each further block is
        /// `factor` times as long as the previous one, up to `longest`. A day without a charge resets the budget.
        case block(max: Int, block: Duration, factor: Int, longest: Duration)
    }

    /// The name of the budget.
    public let key: BudgetKey
    /// The keyed hash of the subject that the budget protects, or `nil` if an operator cannot unlock the budget.
    public let subject: BudgetKey?
    /// How the budget is refilled.
    public let rule: Rule
    /// The budgets in which to look for a correct answer.
    ///
    /// If a correct answer is recorded in one of these budgets, this charge is waived.
    public let exemptIfProven: [BudgetKey]

    /// Creates a charge.
    public init(key: BudgetKey, subject: BudgetKey?, rule: Rule, exemptIfProven: [BudgetKey] = []) {
        self.key = key
        self.subject = subject
        self.rule = rule
        self.exemptIfProven = exemptIfProven
    }

    func blocks(after used: Int) -> Bool {
        switch rule {
        case .block(let max, let block, _, _): used >= max && block > .zero
        case .window, .shared, .share: false
        }
    }
}

/// A total per period that all origins share.
public struct SharedRate: Hashable, Sendable {
    /// The origins that can use the reserved part of the total.
    public enum Standing: Hashable, Sendable {
        /// Origins from which a user signed in within the last 90 days.
        case known(OriginLevels)
        /// Origins for which a correct answer is recorded in one of these budgets.
        case proven([BudgetKey])
    }

    /// The total, and how it is divided.
    public let total: SharedTotal
    /// The length of a period.
    public let period: Duration
    /// The origins that can use the reserved part of the total.
    public let standing: Standing

    /// Creates a total that applies to each period.
    public init(_ total: SharedTotal, period: Duration, reservedFor standing: Standing) {
        self.total = total
        self.period = period
        self.standing = standing
    }
}

/// A charge that a correct answer refunds.
public struct ChargeKey: Hashable, Sendable, Codable {
    /// The name of the budget.
    public let key: BudgetKey
    /// The number of the period in which the budget was charged, or `nil` if a correct answer refunds all charges.
    public let period: Int64?
}

/// A budget in which a correct answer is recorded without a charge.
public struct ProvenBudget: Hashable, Sendable {
    /// The name of the budget.
    public let key: BudgetKey
    /// The keyed hash of the subject that the budget protects.
    public let subject: BudgetKey

    /// Creates a description of a budget in which a correct answer is recorded.
    public init(key: BudgetKey, subject: BudgetKey) {
        self.key = key
        self.subject = subject
    }
}

/// The result of making a set of charges.
///
/// Either all of the charges are made or none.
public enum ChargeOutcome: Hashable, Sendable {
    /// All charges were made. `keys` contains them in order, and `used` contains each budget's count after its charge.
    /// A waived charge has no key and the count 0.
    case charged(keys: [ChargeKey], used: [Int])
    /// No charge was made, because `charges[index]` would exceed its budget.
    case blocked(index: Int, retryAfterMs: Int64)
}

/// The state of a budget.
public struct Budget: Hashable, Sendable {
    /// The number of attempts charged in this period or, for a budget that uses blocks, since the last block or correct
    /// answer.
    public let used: Int
    /// The number of milliseconds until the budget permits another charge, or 0 if it permits one now.
    public let retryAfterMs: Int64
    /// Whether the budget is blocked, or has not been charged since its last block ended.
    ///
    /// After the block has ended, ``retryAfterMs`` is 0.
    public let hasBlock: Bool
    /// Whether a correct answer is recorded in the budget.
    public let proven: Bool
}
