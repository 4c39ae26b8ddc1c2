public import OAuth

/// One user of the authority, as operators see it.
public struct UserSummary: WireValue, Hashable {
    /// The object id.
    public let user: String
    /// The names to sign in with.
    public let signInNames: [String]
    /// What people call the user.
    public let displayName: String
    /// Whether the user may sign in.
    public let enabled: Bool
    /// When the user signed up, in milliseconds since 1970 UTC.
    public let createdAt: Int64
    /// The attributes; `user.show` only.
    public let attributes: JSONValue?
    /// Live sessions; `user.show` only.
    public let sessions: Int64?
    /// Live families of refresh tokens; `user.show` only.
    public let families: Int64?
    /// The groups the user is in; `user.show` only.
    public let groups: [String]?

    /// One user.
    public init(
        user: String,
        signInNames: [String],
        displayName: String,
        enabled: Bool,
        createdAt: Int64,
        attributes: JSONValue? = nil,
        sessions: Int64? = nil,
        families: Int64? = nil,
        groups: [String]? = nil
    ) {
        self.user = user
        self.signInNames = signInNames
        self.displayName = displayName
        self.enabled = enabled
        self.createdAt = createdAt
        self.attributes = attributes
        self.sessions = sessions
        self.families = families
        self.groups = groups
    }

    /// Reads a user.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            user: try reader.string("user"),
            signInNames: reader.value["signInNames"]?.strings ?? [],
            displayName: reader.value["displayName"]?.string ?? "",
            enabled: reader.value["enabled"]?.bool ?? true,
            createdAt: reader.value["createdAt"]?.int ?? 0,
            attributes: reader.value["attributes"],
            sessions: reader.value["sessions"]?.int,
            families: reader.value["families"]?.int,
            groups: reader.value["groups"]?.strings
        )
    }

    /// The user as it is written.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("user", user)
        object.set("signInNames", strings: signInNames)
        object.set("displayName", displayName)
        object.set("enabled", enabled)
        object.set("createdAt", createdAt)
        object.set("attributes", attributes)
        object.set("sessions", sessions)
        object.set("families", families)
        if let groups { object.set("groups", strings: groups) }
        return object.json
    }
}
