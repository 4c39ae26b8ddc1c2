public import FlowModel

/// A method that returns a page of audit events: `audit.query` or `audit.all`.
public protocol AuditMethod: BrokerMethod, WireObject where Answer == [AuditRecord] {
    /// The number of the last event that the caller already has, or `nil` to start at the first.
    var since: Int64? { get }
    /// The maximum number of events, up to 1000, or `nil` for 100.
    var limit: Int64? { get }

    /// Creates a request for a page of events.
    init(since: Int64?, limit: Int64?)
}

extension AuditMethod {
    /// The parameters, as JSON members.
    public static var wire: WireMembers<Self> {
        WireMembers(
            Self.init(since:limit:),
            Member("since", optional: \.since, .since),
            Member("limit", optional: \.limit, .limit)
        )
    }
}

/// `audit.query`: lists the caller's security events.
public struct AuditQuery: AuditMethod {
    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "audit.query",
        "Lists the caller's own security events, oldest first.",
        wire.fields,
        answer: "events",
        whileLocked: true
    )

    /// The number of the last event that the caller already has, or `nil` to start at the first.
    public let since: Int64?
    /// The maximum number of events, up to 1000, or `nil` for 100.
    public let limit: Int64?

    /// Creates a request for a page of events.
    public init(since: Int64? = nil, limit: Int64? = nil) {
        self.since = since
        self.limit = limit
    }
}

/// `audit.all`: lists the security events of all callers, for operators only.
public struct AuditAll: AuditMethod {
    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "audit.all",
        "Lists all security events, oldest first.",
        wire.fields,
        answer: "events",
        for: .operators
    )

    /// The number of the last event that the caller already has, or `nil` to start at the first.
    public let since: Int64?
    /// The maximum number of events, up to 1000, or `nil` for 100.
    public let limit: Int64?

    /// Creates a request for a page of events.
    public init(since: Int64? = nil, limit: Int64? = nil) {
        self.since = since
        self.limit = limit
    }
}

extension AuditRecord: WireObject {
    /// The JSON members, for reading and writing.
    public static let wire = WireMembers(
        Self.init(sequence:at:event:uid:pid:user:client:policy:correlationID:detail:),
        Member("seq", \.sequence),
        Member("at", \.at),
        Member("event", \.event),
        Member("uid", optional: \.uid),
        Member("pid", optional: \.pid),
        Member("user", optional: \.user),
        Member("client", optional: \.client),
        Member("policy", optional: \.policy),
        Member("correlationId", \.correlationID, or: ""),
        Member("detail", \.detail)
    )
}
