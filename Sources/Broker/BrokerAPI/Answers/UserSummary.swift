public import FlowModel
public import OAuth

extension UserSummary: WireValue {
    /// Reads a user.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            user: try reader.string("user"),
            signInNames: reader.value["signInNames"]?.strings ?? [],
            displayName: reader.value["displayName"]?.string ?? "",
            enabled: reader.value["enabled"]?.bool ?? true,
            createdAt: reader.value["createdAt"]?.int ?? 0
        )
        attributes = reader.value["attributes"]?.object
        sessions = reader.value["sessions"]?.int.map(Int.init)
        families = reader.value["families"]?.int.map(Int.init)
        groups = reader.value["groups"]?.strings
    }

    /// The user as it is written.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("user", user)
        object.set("signInNames", strings: signInNames)
        object.set("displayName", displayName)
        object.set("enabled", enabled)
        object.set("createdAt", createdAt)
        object.set("attributes", attributes.map(JSONValue.object))
        object.set("sessions", sessions.map(Int64.init))
        object.set("families", families.map(Int64.init))
        if let groups { object.set("groups", strings: groups) }
        return object.json
    }
}
