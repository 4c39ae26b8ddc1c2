public import Origins

/// A budget of attempts, by a name that does not reveal whom it protects.
public struct BudgetKey: Hashable, Sendable, Codable {
    /// 43 characters of base64url: a keyed hash.
    public let text: String

    /// A budget's name.
    public init(_ text: String) {
        self.text = text
    }
}

/// One charge against one budget.
public struct Charge: Hashable, Sendable {
    /// The way in which a budget fills up again.
    public enum Rule: Hashable, Sendable {
        /// `max` in each period; the period begins with its first charge.
        case window(max: Int, period: Duration)
        /// What all origins may take in each period.
        case shared(SharedRate)
        /// What one level of an origin may take of the budget `of`, which is charged before it: `max`, and no more than
        /// the rule of that budget allows.
        case share(max: Int, of: BudgetKey, SharedRate)
        /// `max`, then a block that grows: `block` times `factor` for each block before, up to `longest`. A day without
        /// a charge resets it.
        case block(max: Int, block: Duration, factor: Int, longest: Duration)
    }

    /// The budget.
    public let key: BudgetKey
    /// The keyed hash of the protected subject, which unlocking goes by; nil where nothing is to be unlocked.
    public let subject: BudgetKey?
    /// The way in which it fills up.
    public let rule: Rule
    /// Budgets that each exempt from this one if a correct answer was charged to them before.
    public let exemptIfProven: [BudgetKey]

    /// One charge against one budget.
    public init(key: BudgetKey, subject: BudgetKey?, rule: Rule, exemptIfProven: [BudgetKey] = []) {
        self.key = key
        self.subject = subject
        self.rule = rule
        self.exemptIfProven = exemptIfProven
    }

    /// True if a block follows from the charge, the `used`th of its budget.
    func blocks(after used: Int) -> Bool {
        switch rule {
        case .block(let max, let block, _, _): used >= max && block > .zero
        case .window, .shared, .share: false
        }
    }
}

/// A total that all origins share in each period.
public struct SharedRate: Hashable, Sendable {
    /// What makes an origin one of those for which a part is reserved.
    public enum Standing: Hashable, Sendable {
        /// The origin has a sign-in within 90 days.
        case known(OriginLevels)
        /// A correct answer was charged to one of these budgets before.
        case proven([BudgetKey])
    }

    /// The figures.
    public let total: SharedTotal
    /// The length of a period.
    public let period: Duration
    /// What the reserved part is for.
    public let standing: Standing

    /// A total in each period.
    public init(_ total: SharedTotal, period: Duration, reservedFor standing: Standing) {
        self.total = total
        self.period = period
        self.standing = standing
    }
}

/// A charge that was taken and that a correct answer gives back.
public struct ChargeKey: Hashable, Sendable, Codable {
    /// The budget.
    public let key: BudgetKey
    /// The number of the budget's period that it was charged in; nil if a correct answer gives all charges back.
    public let period: Int64?
}

/// A budget whose owner has given a correct answer that was not charged to it.
public struct ProvenBudget: Hashable, Sendable {
    /// The budget.
    public let key: BudgetKey
    /// The keyed hash of the protected subject, which unlocking goes by.
    public let subject: BudgetKey

    /// A budget with a correct answer.
    public init(key: BudgetKey, subject: BudgetKey) {
        self.key = key
        self.subject = subject
    }
}

/// The result of a set of charges, taken together or not at all.
public enum ChargeOutcome: Hashable, Sendable {
    /// All were taken, in the order given; `used` counts each with its budget.
    case charged(keys: [ChargeKey], used: [Int])
    /// None was taken: `charges[index]` would exceed its budget.
    case blocked(index: Int, retryAfterMs: Int64)
}

/// The state of a budget.
public struct Budget: Hashable, Sendable {
    /// Attempts charged in this period, or since the last block or correct answer.
    public let used: Int
    /// Milliseconds until it is open again; 0 if it is.
    public let retryAfterMs: Int64
    /// True if a block has begun and nothing was charged since; it is over if nothing is left of ``retryAfterMs``.
    public let hasBlock: Bool
    /// True if a correct answer was charged to it before.
    public let proven: Bool
}
