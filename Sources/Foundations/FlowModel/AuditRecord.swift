/// A security event, as the audit keeps and shows it.
public struct AuditRecord: Hashable, Sendable {
    /// The number; consecutive events have consecutive numbers.
    public let sequence: Int64
    /// Time of the event, in milliseconds since 1970 UTC.
    public let at: Int64
    /// The word of the event, for example `signin.succeeded`; a newer broker may have words that a client does not know.
    public let event: String
    /// The uid that caused it.
    public let uid: UInt32?
    /// The process that caused it; another one may have its number by now.
    public let pid: Int32?
    /// The object id of the user it concerns.
    public let user: String?
    /// The client it concerns.
    public let client: String?
    /// The policy it concerns.
    public let policy: String?
    /// The UUID that stands in the answer and in the logs, too.
    public let correlationID: String
    /// Further facts, by name.
    public let detail: [String: String]

    /// A security event.
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
