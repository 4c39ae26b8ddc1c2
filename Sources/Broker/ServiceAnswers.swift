/// A policy as `policy.list` shows it.
public struct PolicyAnswer: Hashable, Sendable {
    /// The id, in lower case.
    public let policy: String
    /// The kind as files spell it.
    public let kind: String
    /// What people call it.
    public let displayName: String
    /// `iss` of its tokens.
    public let issuer: String
    /// Whether it can be used.
    public let isAvailable: Bool
    /// What to configure before it can be used.
    public let missing: String?
}

/// The service as `broker.status` shows it.
public struct StatusAnswer: Hashable, Sendable {
    /// The daemon's version.
    public let version: String
    /// Milliseconds since its start.
    public let uptimeMs: Int64
    /// The ids of its policies.
    public let policies: [String]
    /// What the uid has: `accounts`, `tokens`, `flows`.
    public let counts: [String: Int64]
    /// Whether the uid's cache is sealed under a passphrase.
    public let isLocked: Bool
}

/// One row of the audit.
public struct AuditAnswer: Hashable, Sendable {
    /// Its number; there is no gap.
    public let seq: Int64
    /// When, in milliseconds since 1970 UTC.
    public let at: Int64
    /// What happened, for example `signin.succeeded`.
    public let event: String
    /// The uid it belongs to.
    public let uid: UInt32?
    /// The person's object id.
    public let user: String?
    /// The client.
    public let client: String?
    /// The policy.
    public let policy: String?
    /// What ties answer, log and audit together.
    public let correlationID: String?
    /// The peer's process.
    public let pid: Int32?
    /// What else is known, by name.
    public let detail: [String: String]
}
