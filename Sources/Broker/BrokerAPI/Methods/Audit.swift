public import FlowModel
public import OAuth

/// A method that answers a page of security events: `audit.query` or `audit.all`.
public protocol AuditMethod: BrokerMethod where Answer == [AuditRecord] {
    /// The number of the last event that the caller has; all if nil.
    var since: Int64? { get }
    /// The greatest number of events, at most 1000.
    var limit: Int64? { get }

    /// Asks for a page of events.
    init(since: Int64?, limit: Int64?)
}

extension AuditMethod {
    /// The parameters.
    public static var fields: [Field] { [.since, .limit] }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        self.init(since: members.int("since"), limit: members.int("limit"))
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("since", since)
        object.set("limit", limit)
        return object.members
    }
}

/// `audit.query`: the caller's security events.
public struct AuditQuery: AuditMethod {
    /// Describes the method.
    public static let description = MethodDescription(
        "audit.query",
        "Lists the caller's own security events, oldest first.",
        fields,
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
        fields,
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

extension AuditRecord: WireValue {
    /// Reads an event.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            sequence: try reader.int("seq"),
            at: try reader.int("at"),
            event: try reader.string("event"),
            uid: reader.value["uid"]?.int.flatMap { UInt32(exactly: $0) },
            pid: reader.value["pid"]?.int.flatMap { Int32(exactly: $0) },
            user: reader.value["user"]?.string,
            client: reader.value["client"]?.string,
            policy: reader.value["policy"]?.string,
            correlationID: reader.value["correlationId"]?.string ?? "",
            detail: (reader.value["detail"]?.object ?? [:]).compactMapValues(\.string)
        )
    }

    /// The event as it is written.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("seq", sequence)
        object.set("at", at)
        object.set("event", event)
        object.set("uid", uid.map(Int64.init))
        object.set("pid", pid.map(Int64.init))
        object.set("user", user)
        object.set("client", client)
        object.set("policy", policy)
        object.set("correlationId", correlationID)
        object.set("detail", .object(detail.mapValues(JSONValue.string)))
        return object.json
    }
}
