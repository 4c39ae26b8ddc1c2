/// The state of the daemon, with the numbers of the caller's accounts, tokens and flows.
public struct ServiceStatus: Hashable, Sendable {
    /// The daemon's version.
    public let version: String
    /// The time since the daemon started, in milliseconds.
    public let uptimeMs: Int64
    /// The ids of the daemon's policies.
    public let policies: [String]
    /// The numbers of the caller's accounts, tokens and flows, under the keys `accounts`, `tokens` and `flows`.
    public let counts: [String: Int64]
    /// Whether the caller's cache is locked with a passphrase.
    public let locked: Bool
    /// The base URL of the policies' issuers, or `nil` if the daemon does not report the URL.
    public let issuer: String?
    /// The path of `tokenbrokerd.yaml`, or `nil` if the daemon uses its built-in defaults.
    public let configuration: String?
    /// The path of the state directory, or `nil` if the daemon does not report the path.
    public let stateDirectory: String?

    /// Creates a report of the daemon's state.
    public init(
        version: String,
        uptimeMs: Int64,
        policies: [String],
        counts: [String: Int64],
        locked: Bool,
        issuer: String? = nil,
        configuration: String? = nil,
        stateDirectory: String? = nil
    ) {
        self.version = version
        self.uptimeMs = uptimeMs
        self.policies = policies
        self.counts = counts
        self.locked = locked
        self.issuer = issuer
        self.configuration = configuration
        self.stateDirectory = stateDirectory
    }
}
