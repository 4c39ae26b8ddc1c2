public import FlowModel

/// The wrong answers that a check takes, by its file.
public struct CheckBudget: Hashable, Sendable {
    /// The thing that is proved with; checks over one credential share their budgets.
    public let credential: Credential
    /// Answers before the block.
    public let maxAttempts: Int
    /// The length of the first block.
    public let block: Duration
    /// The factor by which each next block is longer.
    public let backoffFactor: Int
    /// The longest block.
    public let backoffMax: Duration
    /// Wrong answers of all origins in 24 hours.
    public let dailyLimit: Int

    /// The wrong answers that a check takes.
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

/// A person, or a name that is nobody's, for whom wrong answers are counted.
public enum Subject: Hashable, Sendable, Codable {
    /// A person, under whichever name.
    case user(UserID)
    /// A name that is nobody's, or not yet; it locks exactly as a real one does.
    case name(String)
}
