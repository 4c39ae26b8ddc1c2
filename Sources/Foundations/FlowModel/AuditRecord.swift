/// A security event, as stored in the audit log.
public struct AuditRecord: Hashable, Sendable {
    /// The sequence number, which increases by 1 with every event.
    public let sequence: Int64
    /// The time of the event, in milliseconds since 1970 UTC.
    public let at: Int64
    /// The kind of event, as the raw value of an ``AuditKind`` or as a name that a newer version of the daemon added.
    public let event: String
    /// The uid that caused the event.
    public let uid: UInt32?
    /// The id of the process that caused the event, which may since have been assigned to another process.
    public let pid: Int32?
    /// The object id of the affected user.
    public let user: String?
    /// The affected client.
    public let client: String?
    /// The affected policy.
    public let policy: String?
    /// The UUID that links the event to a response and to log lines.
    public let correlationID: String
    /// Additional details, by name.
    public let detail: [String: String]

    /// Creates a security event.
    public init(
        sequence: Int64,
        at: Int64,
        event: String,
        uid: UInt32?,
        pid: Int32?,
        user: String?,
        client: String?,
        policy: String?,
        correlationID: String,
        detail: [String: String]
    ) {
        self.sequence = sequence
        self.at = at
        self.event = event
        self.uid = uid
        self.pid = pid
        self.user = user
        self.client = client
        self.policy = policy
        self.correlationID = correlationID
        self.detail = detail
    }
}
