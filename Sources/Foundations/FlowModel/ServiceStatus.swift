/// The state of the daemon, with counts of the caller's own objects.
public struct ServiceStatus: Hashable, Sendable {
    /// The daemon's version.
    public let version: String
    /// Milliseconds since its start.
    public let uptimeMs: Int64
    /// The ids of its policies.
    public let policies: [String]
    /// Counts of the caller's `accounts`, `tokens` and `flows`.
    public let counts: [String: Int64]
    /// `true` while the caller's cache is sealed under a passphrase.
    public let locked: Bool

    /// The state of the daemon.
    public init(version: String, uptimeMs: Int64, policies: [String], counts: [String: Int64], locked: Bool) {
        self.version = version
        self.uptimeMs = uptimeMs
        self.policies = policies
        self.counts = counts
        self.locked = locked
    }
}
