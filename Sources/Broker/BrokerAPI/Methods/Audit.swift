public import FlowModel

/// A method that answers a page of security events: `audit.query` or `audit.all`.
public protocol AuditMethod: BrokerMethod, WireObject where Answer == [AuditRecord] {
    /// The number of the last event that the caller has; all if nil.
    var since: Int64? { get }
    /// The greatest number of events, at most 1000.
    var limit: Int64? { get }

    /// Asks for a page of events.
    init(since: Int64?, limit: Int64?)
}

extension AuditMethod {
    /// The parameters.
    public static var wire: WireMembers<Self> {
        WireMembers(
            Self.init(since:limit:),
            Member("since", optional: \.since, .since),
            Member("limit", optional: \.limit, .limit)
        )
    }
}

/// `audit.query`: the caller's security events.
public struct AuditQuery: AuditMethod {
    /// Describes the method.
    public static let description = MethodDescription(
        "audit.query",
        "Lists the caller's own security events, oldest first.",
        wire.fields,
        answer: "events",
        whileLocked: true
    )

    /// The number of the last event that the caller has; all if nil.
    public let since: Int64?
    /// The greatest number of events, at most 1000.
    public let limit: Int64?

    /// Asks for a page of events.
    public init(since: Int64? = nil, limit: Int64? = nil) {
        self.since = since
        self.limit = limit
    }
}

/// `audit.all`: everybody's security events; operators only.
public struct AuditAll: AuditMethod {
    /// Describes the method.
    public static let description = MethodDescription(
        "audit.all",
        "Lists all security events, oldest first.",
        wire.fields,
        answer: "events",
        for: .operators
    )

    /// The number of the last event that the caller has; all if nil.
    public let since: Int64?
    /// The greatest number of events, at most 1000.
    public let limit: Int64?

    /// Asks for a page of events.
    public init(since: Int64? = nil, limit: Int64? = nil) {
        self.since = since
        self.limit = limit
    }
}

extension AuditRecord: WireObject {
    /// The members on the wire.
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
