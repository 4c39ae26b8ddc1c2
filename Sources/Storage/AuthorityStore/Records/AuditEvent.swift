public import FlowModel
public import OAuth

/// A security event to be recorded; it holds no secret.
public struct AuditEvent: Hashable, Sendable {
    /// The kind of event.
    public var kind: AuditKind
    /// The owner who caused it or whom it concerns.
    public var owner: Owner?
    /// The person it concerns.
    public var user: UserID?
    /// The client that it concerns.
    public var client: String?
    /// The policy that it concerns.
    public var policy: String?
    /// The id that also stands in the answer and in log lines.
    public var correlationID: CorrelationID
    /// The process at the other end of the socket.
    public var pid: Int32?
    /// Further facts, by name.
    public var detail: [String: String]

    /// An event of any cause.
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

    /// An event that a caller caused, or that concerns what the caller owns.
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
