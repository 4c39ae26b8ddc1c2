public import FlowModel

/// How often a check may be answered wrongly, as its file says.
public struct CheckBudget: Hashable, Sendable {
    /// What is proved with, `password` or `email`; checks over one credential share their budgets.
    public let credential: String
    /// Answers before the block.
    public let maxAttempts: Int
    /// How long the first block lasts.
    public let block: Duration
    /// What each further block is longer by.
    public let backoffFactor: Int
    /// How long a block lasts at most.
    public let backoffMax: Duration
    /// Wrong answers of all origins in 24 hours.
    public let dailyLimit: Int

    /// How often a check may be answered wrongly.
    public init(
        credential: String,
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

/// Whom wrong answers are counted for.
public enum Subject: Hashable, Sendable {
    /// A person, under whichever name.
    case user(UserID)
    /// A name that is nobody's, or not yet; it locks exactly as a real one does.
    case name(String)
}
