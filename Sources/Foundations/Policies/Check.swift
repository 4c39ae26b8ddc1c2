public import FlowModel

/// A check in `checks.yaml`, which defines how a user authenticates and how many wrong answers are allowed.
public struct Check: Hashable, Sendable, Codable {
    /// The identity provider that signs assertions for the check, or `nil` if the check does not use assertions.
    public let assertion: AssertionRealm?
    /// The clients for which a passed check is valid if a scope requires the check.
    public enum Share: String, Hashable, Sendable, Codable, CaseIterable {
        /// Only the client for which the user passed the check.
        case client
        /// Every client that is used under the same uid.
        case uid
    }

    /// The name by which policies and clients refer to the check.
    public let name: String
    /// How the check authenticates the user.
    public let type: CheckType
    /// The number of wrong answers after which the check is temporarily blocked.
    public let maxAttempts: Int
    /// How long a step waits for a correct answer.
    public let attemptingStateExpiration: Duration
    /// How long a passed check is valid, or `nil` for the default.
    ///
    /// The default is the duration of the session for a sign-in check, and one hour for a check that a scope requires.
    public let successStateExpiration: Duration?
    /// How long the check is skipped for a user who has chosen to be remembered, or zero to disable this choice.
    public let rememberMe: Duration
    /// The duration of the first block, or zero to disable blocking.
    public let blockedStateExpiration: Duration
    /// The factor by which each block is longer than the previous one.
    public let backoffFactor: Int
    /// The maximum duration of a block.
    public let backoffMax: Duration
    /// The number of wrong answers in one day after which the user is locked out for the rest of that day.
    public let dailyLimit: Int
    /// The authentication context class of a passed check (`acr`).
    public let acr: String
    /// The authentication methods of a passed check (`amr`, RFC 8176 §2).
    public let amr: [String]
    /// The rule for PINs, or `nil` if the check is of another type.
    public let pin: PINRule?
    /// The custom identity provider, or `nil` if the check is of another type.
    public let realm: CustomRealm?
    /// The clients for which a passed check is valid if a scope requires the check.
    public let share: Share
    /// Whether a user who lacks the credential may enrol it during the check, after passing the sign-in checks.
    public let allowsEnrolment: Bool

    /// Creates a check with default values for omitted parameters, some of which depend on the type.
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

    /// The issuer that is recorded for users of the check's identity provider, or `nil` if the check does not use one.
    public var people: String? { realm?.issuer ?? assertion?.people }

    /// How long a passed check is valid for scopes that require it, unless it is a sign-in check.
    public var successForScopes: Duration { successStateExpiration ?? .seconds(3600) }
}
