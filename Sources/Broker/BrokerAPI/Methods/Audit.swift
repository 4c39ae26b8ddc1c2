public import FlowModel

/// A method that returns a page of audit events: `audit.query` or `audit.all`.
public protocol AuditMethod: BrokerMethod, WireObject where Answer == [AuditRecord] {
    /// The number of the last event that the caller already has, or `nil` to start at the first event.
    var since: Int64? { get }
    /// The maximum number of events to return (at most 1000), or `nil` for the default of 100.
    var limit: Int64? { get }

    init(since: Int64?, limit: Int64?)
}

extension AuditMethod {
    /// The JSON members, which are used to read and write the parameters.
    public static var wire: WireMembers<Self> {
        WireMembers(
            Self.init(since:limit:),
            Member("since", optional: \.since, .since),
            Member("limit", optional: \.limit, .limit)
        )
    }
}

/// The `audit.query` method, which lists the caller's security events.
public struct AuditQuery: AuditMethod {
    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "audit.query",
        "Lists the caller's own security events, oldest first.",
        wire.fields,
        answer: "events",
        whileLocked: true
    )

    /// The number of the last event that the caller already has, or `nil` to start at the first event.
    public let since: Int64?
    /// The maximum number of events to return (at most 1000), or `nil` for the default of 100.
    public let limit: Int64?

    /// Creates a call that returns a page of events.
    public init(since: Int64? = nil, limit: Int64? = nil) {
        self.since = since
        self.limit = limit
    }
}

/// The `audit.all` method, with which operators list the security events of all callers.
public struct AuditAll: AuditMethod {
    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "audit.all",
        "Lists all security events, oldest first.",
        wire.fields,
        answer: "events",
        for: .operators
    )

    /// The number of the last event that the caller already has, or `nil` to start at the first event.
    public let since: Int64?
    /// The maximum number of events to return (at most 1000), or `nil` for the default of 100.
    public let limit: Int64?

    /// Creates a call that returns a page of events.
    public init(since: Int64? = nil, limit: Int64? = nil) {
        self.since = since
        self.limit = limit
    }
}

extension AuditRecord: WireObject {
    /// The JSON members, which are used to read and write the value.
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
