public import OAuth

/// One policy of the daemon.
public struct PolicySummary: WireValue, Hashable {
    /// Its id.
    public let policy: String
    /// Its kind, for example `sign-up-or-sign-in`.
    public let kind: String
    /// What people call it.
    public let displayName: String
    /// The issuer of its tokens.
    public let issuer: String
    /// Whether it can be run.
    public let available: Bool
    /// What to configure before it can be, one sentence.
    public let missing: String?

    /// One policy.
    public init(
        policy: String,
        kind: String,
        displayName: String,
        issuer: String,
        available: Bool,
        missing: String? = nil
    ) {
        self.policy = policy
        self.kind = kind
        self.displayName = displayName
        self.issuer = issuer
        self.available = available
        self.missing = missing
    }

    /// Reads a policy.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            policy: try reader.string("policy"),
            kind: try reader.string("kind"),
            displayName: reader.value["displayName"]?.string ?? "",
            issuer: reader.value["issuer"]?.string ?? "",
            available: reader.value["available"]?.bool ?? true,
            missing: reader.value["missing"]?.string
        )
    }

    /// The policy as it is written.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("policy", policy)
        object.set("kind", kind)
        object.set("displayName", displayName)
        object.set("issuer", issuer)
        object.set("available", available)
        object.set("missing", missing)
        return object.json
    }
}
