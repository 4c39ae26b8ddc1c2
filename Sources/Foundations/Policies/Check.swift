public import FlowModel

/// A check of `checks.yaml`: the way in which a person proves their identity, and the limits on wrong answers.
public struct Check: Hashable, Sendable, Codable {
    /// The provider whose statements count; nil for a check of another type.
    public let assertion: AssertionRealm?
    /// The callers for whom a success counts where a scope asks for it.
    public enum Share: String, Hashable, Sendable, Codable, CaseIterable {
        /// The client that asked.
        case client
        /// Every client of the uid.
        case uid
    }

    /// The name that policies and clients use.
    public let name: String
    /// The way in which it establishes a person's identity.
    public let type: CheckType
    /// The number of wrong answers after which the check blocks.
    public let maxAttempts: Int
    /// The life of a step that waits for a correct answer.
    public let attemptingStateExpiration: Duration
    /// The time for which a success counts; nil means as long as the session, if a policy signs in with it.
    public let successStateExpiration: Duration?
    /// The time from a correct answer for which a person who asks for it is not asked again; zero means that nobody is remembered.
    public let rememberMe: Duration
    /// The length of the first block; zero means no block.
    public let blockedStateExpiration: Duration
    /// The factor by which each block is longer than the one before.
    public let backoffFactor: Int
    /// The longest block.
    public let backoffMax: Duration
    /// The number of wrong answers in a day that lock until the day has passed.
    public let dailyLimit: Int
    /// The authentication context that a success reaches, as `acr` states it.
    public let acr: String
    /// The methods that a success proves, as `amr` states them (RFC 8176 §2).
    public let amr: [String]
    /// The rule for PINs; nil for a check of another type.
    public let pin: PINRule?
    /// The place of a custom identity provider; nil for a check of another type.
    public let realm: CustomRealm?
    /// The callers for whom a success counts where a scope asks for it.
    public let share: Share
    /// True if a person who has no such credential may enrol one where it is asked for, after the sign-in's checks.
    public let allowsEnrolment: Bool

    /// A check; parameters left out have the defaults of its type.
    public init(
        name: String,
        type: CheckType,
        maxAttempts: Int? = nil,
        attemptingStateExpiration: Duration? = nil,
        successStateExpiration: Duration? = nil,
        rememberMe: Duration = .zero,
        blockedStateExpiration: Duration? = nil,
        backoffFactor: Int = 2,
        backoffMax: Duration = .seconds(3600),
        dailyLimit: Int = 100,
        acr: String? = nil,
        amr: [String]? = nil,
        pin: PINRule? = nil,
        realm: CustomRealm? = nil,
        assertion: AssertionRealm? = nil,
        share: Share = .client,
        allowsEnrolment: Bool = true
    ) {
        self.name = name
        self.type = type
        self.maxAttempts = maxAttempts ?? type.maxAttempts
        self.attemptingStateExpiration = attemptingStateExpiration ?? type.attemptingStateExpiration
        self.successStateExpiration = successStateExpiration
        self.rememberMe = rememberMe
        self.blockedStateExpiration = blockedStateExpiration ?? type.blockedStateExpiration
        self.backoffFactor = backoffFactor
        self.backoffMax = backoffMax
        self.dailyLimit = dailyLimit
        self.acr = acr ?? type.acr
        self.amr = amr ?? type.amr
        self.share = share
        self.realm = realm
        self.assertion = assertion
        self.pin = type == .pin ? pin ?? PINRule() : nil
        self.allowsEnrolment = type.isEnrolled && (pin?.allowsEnrolment ?? allowsEnrolment)
    }

    /// The credential that it verifies.
    public var credential: Credential { people.map { .realm($0) } ?? type.credential }

    /// The issuer of the people whom a provider of one's own knows; nil for a check of another type.
    public var people: String? { realm?.issuer ?? assertion?.people }

    /// The time for which a success counts for a scope that requires this check without signing in by it.
    public var successForScopes: Duration { successStateExpiration ?? .seconds(3600) }
}
