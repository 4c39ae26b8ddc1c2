public import FlowModel

/// A check in `checks.yaml`: how a user authenticates, and the limits on wrong answers.
public struct Check: Hashable, Sendable, Codable {
    /// The provider that signs the assertions, or `nil` for a check of another type.
    public let assertion: AssertionRealm?
    /// The clients for which a passed check counts if a scope requires the check.
    public enum Share: String, Hashable, Sendable, Codable, CaseIterable {
        /// The client that requested the scope.
        case client
        /// Every client of the uid.
        case uid
    }

    /// The name that policies and clients use.
    public let name: String
    /// How the check authenticates the user.
    public let type: CheckType
    /// The number of wrong answers that block the check.
    public let maxAttempts: Int
    /// How long a step waits for a correct answer.
    public let attemptingStateExpiration: Duration
    /// How long a passed check is valid.
    ///
    /// If `nil` and the policy signs in with the check, the result is valid as long as the session.
    public let successStateExpiration: Duration?
    /// How long a user who chooses to be remembered is not prompted again.
    ///
    /// Zero disables the choice.
    public let rememberMe: Duration
    /// The duration of the first block.
    ///
    /// Zero disables blocks.
    public let blockedStateExpiration: Duration
    /// The factor by which each block is longer than the previous one.
    public let backoffFactor: Int
    /// The maximum duration of a block.
    public let backoffMax: Duration
    /// The number of wrong answers per day after which the user is locked for the rest of the day.
    public let dailyLimit: Int
    /// The authentication context of a passed check (`acr`).
    public let acr: String
    /// The authentication methods of a passed check (`amr`, RFC 8176 §2).
    public let amr: [String]
    /// The PIN rule, or `nil` for a check of another type.
    public let pin: PINRule?
    /// The custom identity provider, or `nil` for a check of another type.
    public let realm: CustomRealm?
    /// The clients for which a passed check counts if a scope requires the check.
    public let share: Share
    /// Whether a user without the credential may enrol it during the check, after the sign-in checks.
    public let allowsEnrolment: Bool

    /// Creates a check.
    ///
    /// Omitted parameters get the defaults of the type.
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

    /// The credential that the check verifies.
    public var credential: Credential { people.map { .realm($0) } ?? type.credential }

    /// The issuer recorded for the users of a custom identity provider, or `nil` for a check of another type.
    public var people: String? { realm?.issuer ?? assertion?.people }

    /// How long a passed check is valid for a scope that requires it, if the policy does not sign in with it.
    public var successForScopes: Duration { successStateExpiration ?? .seconds(3600) }
}
