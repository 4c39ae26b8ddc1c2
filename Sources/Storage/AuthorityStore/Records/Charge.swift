public import Origins

/// A name for an attempt budget (a limit on answers) that does not reveal the user that the budget protects.
public struct BudgetKey: Hashable, Sendable, Codable {
    /// A keyed hash, encoded as 43 characters of base64url.
    public let text: String

    /// Creates a name from a hash.
    public init(_ text: String) {
        self.text = text
    }
}

/// A charge to make against an attempt budget.
public struct Charge: Hashable, Sendable {
    /// How many charges a budget permits, and how the budget is refilled.
    public enum Rule: Hashable, Sendable {
        /// The budget permits at most `max` charges per period, which starts with its first charge.
        case window(max: Int, period: Duration)
        /// The budget permits one total per period, which all origins share.
        case shared(SharedRate)
        /// The budget is one origin level's share of the budget `of`, which must be charged first.
        ///
        /// The share permits at most `max` charges, or fewer if the rate allows fewer for one level, for example when
        /// the budget `of` is nearly used up.
        case share(max: Int, of: BudgetKey, SharedRate)
        /// The budget permits at most `max` charges, and is then blocked for `block`.
        ///
        /// Each further block is `factor` times as long, up to `longest`. A day without a charge resets the budget.
        case block(max: Int, block: Duration, factor: Int, longest: Duration)
    }

    /// The name of the budget.
    public let key: BudgetKey
    /// The keyed hash of the subject that the budget protects, or `nil` if an operator cannot unlock the budget.
    public let subject: BudgetKey?
    /// How many charges the budget permits, and how the budget is refilled.
    public let rule: Rule
    /// The budgets that waive this charge if a correct answer is recorded in any of them.
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
        /// Origins for which a correct answer is recorded in any of the given budgets.
        case proven([BudgetKey])
    }

    /// The total, with the rule that divides the total among the origins.
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
    /// The number of the period that was charged, or `nil` to refund all charges of a budget with blocks.
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

/// The result of making a set of charges, of which either all are made or none.
public enum ChargeOutcome: Hashable, Sendable {
    /// All charges were made.
    ///
    /// `keys` contains a key for each charge that was not waived. `used` contains the count of each budget after its
    /// charge, or 0 for a waived charge. Both are in the order of the charges.
    case charged(keys: [ChargeKey], used: [Int])
    /// No charge was made, because the charge at `index` would exceed its budget.
    case blocked(index: Int, retryAfterMs: Int64)
}

/// The state of an attempt budget.
public struct Budget: Hashable, Sendable {
    /// The number of attempts charged in the current period or, with blocks, since the last block or correct answer.
    public let used: Int
    /// The number of milliseconds until the budget permits another charge, or 0 if it permits one now.
    public let retryAfterMs: Int64
    /// Whether the budget is blocked, or has been neither charged nor reset since its last block ended.
    public let hasBlock: Bool
    /// Whether a correct answer is recorded in the budget.
    public let proven: Bool
}
