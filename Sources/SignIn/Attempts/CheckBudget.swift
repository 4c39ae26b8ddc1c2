public import FlowModel
public import Policies

/// The limits on wrong answers to a check, as configured in `checks.yaml`.
public struct CheckBudget: Hashable, Sendable {
    /// The credential that the check verifies.
    ///
    /// Checks of the same credential share their budgets.
    public let credential: Credential
    /// The number of wrong answers before a block.
    public let maxAttempts: Int
    /// The length of the first block.
    public let block: Duration
    /// The factor by which each block is longer than the previous one.
    public let backoffFactor: Int
    /// The maximum length of a block.
    public let backoffMax: Duration
    /// The maximum number of wrong answers in 24 hours, from all origins together.
    public let dailyLimit: Int

    /// Creates limits.
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
    /// The limits on rejected identity provider tokens that one uid submits: ten, then a wait that grows from a minute
    /// to an hour.
    ///
    /// Rejected tokens are counted against the uid only, not against the users named in the tokens.
    public static let broughtTokens = CheckBudget(
        credential: .federated,
        maxAttempts: 10,
        block: .seconds(60)
    )
}

/// The user or the sign-in name that wrong answers are counted against.
public enum Subject: Hashable, Sendable, Codable {
    /// A user who was identified before answering.
    case user(UserID)
    /// A sign-in name that does not belong to a user.
    ///
    /// It is locked exactly like a name that does.
    case name(String)
    /// A sign-in name that was typed, and the user it belongs to.
    ///
    /// What the caller sees depends only on the name, as for a name without a user. This way, the caller cannot learn
    /// that two names belong to one user. The daily limit counts all of the user's names together.
    case typed(String, UserID)

    /// Creates the subject for a sign-in name that was typed.
    ///
    /// - Parameters:
    ///   - name: The sign-in name.
    ///   - user: The user that has the name, or `nil` if there is no such user.
    public init(typed name: String, of user: UserID?) {
        self = user.map { .typed(name, $0) } ?? .name(name)
    }
}

extension CheckBudget {
    /// Creates the limits of a check from its configuration in `checks.yaml`.
    ///
    /// Checks of the same credential share their budgets.
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
