public import FlowModel
public import OAuth

extension GroupSummary: WireValue {
    /// Reads a group.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            group: try reader.string("group"),
            count: reader.value["count"]?.int ?? 0,
            members: reader.value["members"]?.strings
        )
    }

    /// The group as it is written.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("group", group)
        object.set("count", count)
        if let members { object.set("members", strings: members) }
        return object.json
    }
}
