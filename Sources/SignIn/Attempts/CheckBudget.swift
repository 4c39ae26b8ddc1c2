public import FlowModel
public import Policies

/// The limits on wrong answers to a check, as configured in `checks.yaml`.
public struct CheckBudget: Hashable, Sendable {
    /// The credential that the check verifies.
    ///
    /// All checks that verify the same credential share their budgets.
    public let credential: Credential
    /// The number of wrong answers before a block.
    public let maxAttempts: Int
    /// The length of the first block.
    public let block: Duration
    /// The ratio of a block's length to the length of the previous block.
    public let backoffFactor: Int
    /// The maximum length of a block.
    public let backoffMax: Duration
    /// The maximum number of wrong answers in 24 hours, from all origins together.
    public let dailyLimit: Int

    /// Creates the limits on wrong answers to a check.
    public init(
        credential: Credential,
        maxAttempts: Int,
        block: Duration,
        backoffFactor: Int = 2,
        backoffMax: Duration = .seconds(3600),
        dailyLimit: Int = 100
    ) {
        self.credential = credential
        self.maxAttempts = maxAttempts
        self.block = block
        self.backoffFactor = backoffFactor
        self.backoffMax = backoffMax
        self.dailyLimit = dailyLimit
    }
}

extension CheckBudget {
    /// The limits on rejected identity provider tokens from one uid.
    ///
    /// After ten rejected tokens, the uid is blocked for a minute, and later blocks last up to an hour. The tokens are
    /// not counted against the users that they identify.
    public static let broughtTokens = CheckBudget(
        credential: .federated,
        maxAttempts: 10,
        block: .seconds(60)
    )
}

/// The user or the sign-in name against which wrong answers are counted.
public enum Subject: Hashable, Sendable, Codable {
    /// A user who was already identified before the answer.
    case user(UserID)
    /// A sign-in name that no user has, which is locked exactly like the name of a user.
    case name(String)
    /// A typed sign-in name, and the user who has this name.
    ///
    /// The caller sees only the limits that apply to the name, and cannot learn that two names belong to one user.
    case typed(String, UserID)

    /// Creates the subject for a typed sign-in name of `user`, or of no user if `user` is `nil`.
    public init(typed name: String, of user: UserID?) {
        self = user.map { .typed(name, $0) } ?? .name(name)
    }
}

extension CheckBudget {
    /// Creates the limits of a check from its configuration in `checks.yaml`.
    public init(_ check: Check) {
        self.init(
            credential: check.credential,
            maxAttempts: check.maxAttempts,
            block: check.blockedStateExpiration,
            backoffFactor: check.backoffFactor,
            backoffMax: check.backoffMax,
            dailyLimit: check.dailyLimit
        )
    }
}
