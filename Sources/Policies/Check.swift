/// How a check finds out who somebody is.
public enum CheckType: String, CaseIterable, Hashable, Sendable, Codable {
    /// The user's password.
    case password
    /// A code that is sent to the user's e-mail address.
    case emailCode
}

/// One check of `checks.yaml`: what is asked, and how many wrong answers it takes.
public struct Check: Hashable, Sendable, Codable {
    /// The name, as policies and clients know it.
    public let name: String
    /// How it finds out who somebody is.
    public let type: CheckType
    /// How many wrong answers block.
    public let maxAttempts: Int
    /// How long a step waits for a right answer.
    public let attemptingStateExpiration: Duration
    /// How long a success counts; nothing means as long as the session where a policy signs in with it.
    public let successStateExpiration: Duration?
    /// How long the first block lasts; zero means that nobody is ever blocked.
    public let blockedStateExpiration: Duration
    /// What each next block is longer by.
    public let backoffFactor: Int
    /// The longest block.
    public let backoffMax: Duration
    /// How many wrong answers a day lock until the day has passed.
    public let dailyLimit: Int
    /// The class that a success proves, as `acr` says it.
    public let acr: String
    /// The methods that a success proves, as `amr` says them (RFC 8176 §2).
    public let amr: [String]

    /// A check; what is left out has the default of its type.
    public init(
        name: String,
        type: CheckType,
        maxAttempts: Int? = nil,
        attemptingStateExpiration: Duration? = nil,
        successStateExpiration: Duration? = nil,
        blockedStateExpiration: Duration? = nil,
        backoffFactor: Int = 2,
        backoffMax: Duration = .seconds(3600),
        dailyLimit: Int = 100,
        acr: String = "1",
        amr: [String]? = nil
    ) {
        self.name = name
        self.type = type
        self.maxAttempts = maxAttempts ?? (type == .password ? 3 : 5)
        self.attemptingStateExpiration = attemptingStateExpiration ?? .seconds(type == .password ? 120 : 600)
        self.successStateExpiration = successStateExpiration
        self.blockedStateExpiration = blockedStateExpiration ?? .seconds(type == .password ? 10 : 60)
        self.backoffFactor = backoffFactor
        self.backoffMax = backoffMax
        self.dailyLimit = dailyLimit
        self.acr = acr
        self.amr = amr ?? [type == .password ? "pwd" : "otp"]
    }

    /// How long a success counts for a scope that asks for this check without signing in by it.
    public var successForScopes: Duration { successStateExpiration ?? .seconds(3600) }
}
