import AuthorityStore
import FlowModel
import OAuth

/// Something that happened, as whoever may ask sees it.
public struct AuditEntry: Hashable, Sendable {
    /// Its number; there is no gap.
    public let seq: Int64
    /// When, in milliseconds since 1970 UTC.
    public let at: Int64
    /// What happened, for example `signin.succeeded`.
    public let event: String
    /// The uid it belongs to, if it belongs to one.
    public let uid: UInt32?
    /// The person's object id.
    public let user: String?
    /// The client.
    public let client: String?
    /// The policy.
    public let policy: String?
    /// What ties answer, log and audit together.
    public let correlationID: String
    /// The peer's process.
    public let pid: Int32?
    /// What else is known, by name.
    public let detail: [String: String]

    init(_ row: AuditRow) {
        seq = row.seq
        at = row.at
        event = row.event.event
        uid =
            switch row.event.owner {
            case .local(_, let uid): uid
            case .browser, nil: nil
            }
        user = row.event.user?.oid
        client = row.event.client
        policy = row.event.policy
        correlationID = row.event.correlationID.description
        pid = row.event.pid
        detail = row.event.detail
    }
}
