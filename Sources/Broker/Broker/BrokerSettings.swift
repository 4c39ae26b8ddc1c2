public import FlowModel
public import Policies

/// The broker's part of the configuration.
public struct BrokerSettings: Hashable, Sendable {
    /// The daemon's version.
    public let version: String
    /// The policy of requests that name none and whose account has none.
    public let defaultPolicy: PolicyID
    /// True if nobody may sign up, invited or not.
    public let isSignUpClosed: Bool
    /// The limits announced to clients, by name.
    public let limits: [String: Int64]

    /// The APIs that tokens are for, by name.
    public let apis: [APISummary]
    /// The outside authorities, by name.
    public let authorities: [String: OutsideAuthority]
    /// The address to which outside authorities send people back.
    public let outsideRedirectURI: String
    /// The ports of this machine that tokens may be sent to over http, whatever listens there.
    public let trustedLoopback: Set<UInt16>

    /// Puts the configuration together.
    public init(
        version: String,
        defaultPolicy: PolicyID,
        isSignUpClosed: Bool = false,
        limits: [String: Int64] = [:],
        apis: [APISummary] = [],
        authorities: [String: OutsideAuthority] = [:],
        outsideRedirectURI: String = "",
        trustedLoopback: Set<UInt16> = []
    ) {
        self.version = version
        self.defaultPolicy = defaultPolicy
        self.isSignUpClosed = isSignUpClosed
        self.limits = limits
        self.apis = apis
        self.authorities = authorities
        self.outsideRedirectURI = outsideRedirectURI
        self.trustedLoopback = trustedLoopback
    }
}
