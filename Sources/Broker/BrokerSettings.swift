public import Policies

/// What the configuration says about the broker.
public struct BrokerSettings: Hashable, Sendable {
    /// The daemon's version.
    public let version: String
    /// The policy where none is named and none is known.
    public let defaultPolicy: PolicyID
    /// Whether nobody may sign up, invited or not.
    public let isSignUpClosed: Bool
    /// Limits that clients are told, by name.
    public let limits: [String: Int64]

    /// What the configuration says about the broker.
    public init(
        version: String,
        defaultPolicy: PolicyID,
        isSignUpClosed: Bool = false,
        limits: [String: Int64] = [:]
    ) {
        self.version = version
        self.defaultPolicy = defaultPolicy
        self.isSignUpClosed = isSignUpClosed
        self.limits = limits
    }
}
