public import FlowModel
public import Policies

/// The limits on wrong answers to a check, as `checks.yaml` configures them.
public struct CheckBudget: Hashable, Sendable {
    /// The credential that is verified; checks over one credential share their budgets.
    public let credential: Credential
    /// Answers before the block.
    public let maxAttempts: Int
    /// The length of the first block.
    public let block: Duration
    /// The factor by which each block is longer than the one before.
    public let backoffFactor: Int
    /// The longest block.
    public let backoffMax: Duration
    /// Wrong answers of all origins in 24 hours, at most.
    public let dailyLimit: Int

    /// The limits of a check.
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
    /// The limits on refused tokens of providers that a uid brings: ten, then a wait that grows from a minute to an hour.
    ///
    /// They are counted for the uid alone, not for the users of the tokens.
    public static let broughtTokens = CheckBudget(
        credential: .federated,
        maxAttempts: 10,
        block: .seconds(60)
    )
}

/// The user, or the sign-in name, for which wrong answers are counted.
public enum Subject: Hashable, Sendable, Codable {
    /// A user who is known before the answer.
    case user(UserID)
    /// A name without a user; it is locked exactly like a real one.
    case name(String)
    /// A name that was typed, and the user it belongs to.
    ///
    /// What the caller sees follows the name alone, as for a name without a user: two names of one user must not tell that they
    /// belong together. The daily limit counts all names of the user.
    case typed(String, UserID)

    /// The subject of a name that was typed.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - user: The user it belongs to; `nil` if there is none.
    public init(typed name: String, of user: UserID?) {
        self = user.map { .typed(name, $0) } ?? .name(name)
    }
}

extension CheckBudget {
    /// The budget of a check, as `checks.yaml` configures it; checks over one credential share it.
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
