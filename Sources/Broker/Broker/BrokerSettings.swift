public import FlowModel
public import Policies

/// The part of the configuration that the broker uses.
public struct BrokerSettings: Hashable, Sendable {
    /// The version of the daemon.
    public let version: String
    /// The base URL of the local authority's issuers, or `nil` if the broker does not report it.
    public let issuer: String?
    /// The path of `tokenbrokerd.yaml`, or `nil` to use the built-in defaults.
    public let configuration: String?
    /// The path of the state directory, or `nil` if the broker does not report it.
    public let stateDirectory: String?
    /// The policy to use if neither the request nor the account specifies a policy.
    public let defaultPolicy: PolicyID
    /// Whether sign-up is closed to all users, including invited users.
    public let isSignUpClosed: Bool
    /// The limits reported to clients, by name.
    public let limits: [String: Int64]

    /// The APIs that tokens can be requested for, sorted by name.
    public let apis: [APISummary]
    /// The external authorities, by name.
    public let authorities: [String: OutsideAuthority]
    /// The daemon's redirect URI, which is registered with external authorities.
    public let outsideRedirectURI: String
    /// The loopback ports to which clients can send tokens over HTTP without checking which process listens there.
    public let trustedLoopback: Set<UInt16>

    /// Creates the settings.
    public init(
        version: String,
        issuer: String? = nil,
        configuration: String? = nil,
        stateDirectory: String? = nil,
        defaultPolicy: PolicyID,
        isSignUpClosed: Bool = false,
        limits: [String: Int64] = [:],
        apis: [APISummary] = [],
        authorities: [String: OutsideAuthority] = [:],
        outsideRedirectURI: String = "",
        trustedLoopback: Set<UInt16> = []
    ) {
        self.version = version
        self.issuer = issuer
        self.configuration = configuration
        self.stateDirectory = stateDirectory
        self.defaultPolicy = defaultPolicy
        self.isSignUpClosed = isSignUpClosed
        self.limits = limits
        self.apis = apis
        self.authorities = authorities
        self.outsideRedirectURI = outsideRedirectURI
        self.trustedLoopback = trustedLoopback
    }
}
