public import OAuth

/// One security event.
public struct AuditRecord: WireValue, Hashable {
    /// Its number; there is no gap between two.
    public let sequence: Int64
    /// When it happened, in milliseconds since 1970 UTC.
    public let at: Int64
    /// What happened, for example `session.signed_out`.
    public let event: String
    /// The uid that caused it.
    public let uid: Int64?
    /// The process that caused it; it may be another one by now.
    public let pid: Int64?
    /// The object id of the user it concerns.
    public let user: String?
    /// The client it concerns.
    public let client: String?
    /// The policy it concerns.
    public let policy: String?
    /// What ties it to answers and logs.
    public let correlationID: String
    /// What else is worth knowing.
    public let detail: [String: String]

    /// One security event.
    public init(
        sequence: Int64,
        at: Int64,
        event: String,
        uid: Int64?,
        pid: Int64?,
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

    /// Reads an event.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            sequence: try reader.int("seq"),
            at: try reader.int("at"),
            event: try reader.string("event"),
            uid: reader.value["uid"]?.int,
            pid: reader.value["pid"]?.int,
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
        object.set("uid", uid)
        object.set("pid", pid)
        object.set("user", user)
        object.set("client", client)
        object.set("policy", policy)
        object.set("correlationId", correlationID)
        object.set("detail", .object(detail.mapValues(JSONValue.string)))
        return object.json
    }
}
