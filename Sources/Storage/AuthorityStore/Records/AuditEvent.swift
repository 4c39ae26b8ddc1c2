public import FlowModel
public import OAuth

/// A security event to record, without secrets.
public struct AuditEvent: Hashable, Sendable {
    /// The kind of event.
    public var kind: AuditKind
    /// The owner that caused the event or that the event is about, or `nil` if there is none.
    public var owner: Owner?
    /// The user that the event is about, or `nil` if there is none.
    public var user: UserID?
    /// The `client_id` that the event is about, or `nil` if there is none.
    public var client: String?
    /// The policy that the event is about, or `nil` if there is none.
    public var policy: String?
    /// The correlation id, which the response and the log lines also contain.
    public var correlationID: CorrelationID
    /// The pid of the process at the other end of the socket, or `nil` if it is not known.
    public var pid: Int32?
    /// Additional details, by name.
    public var detail: [String: String]

    /// Creates an event.
    public init(
        _ kind: AuditKind,
        owner: Owner? = nil,
        user: UserID? = nil,
        client: String? = nil,
        policy: String? = nil,
        correlationID: CorrelationID,
        pid: Int32? = nil,
        detail: [String: String] = [:]
    ) {
        self.kind = kind
        self.owner = owner
        self.user = user
        self.client = client
        self.policy = policy
        self.correlationID = correlationID
        self.pid = pid
        self.detail = detail
    }

    /// Creates an event that a caller caused, or that is about an object that the caller owns.
    public init(
        _ kind: AuditKind,
        by caller: Caller,
        user: UserID? = nil,
        client: String? = nil,
        policy: String? = nil,
        detail: [String: String] = [:]
    ) {
        self.init(
            kind,
            owner: caller.owner,
            user: user,
            client: client,
            policy: policy,
            correlationID: caller.correlationID,
            pid: caller.pid,
            detail: detail
        )
    }
}
