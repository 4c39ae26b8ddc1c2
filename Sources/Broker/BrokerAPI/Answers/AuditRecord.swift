public import FlowModel
public import OAuth

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
