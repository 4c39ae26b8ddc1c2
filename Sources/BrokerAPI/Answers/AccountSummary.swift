public import OAuth

/// One account of the caller: a user that this uid has proved to be.
public struct AccountSummary: WireValue, Hashable {
    /// The opaque id.
    public let account: String
    /// The sign-in name.
    public let username: String
    /// What people call the user.
    public let displayName: String
    /// Which authority knows the user; `local` is the daemon's own.
    public let authority: String
    /// The policies under which the user signed in.
    public let policies: [String]
    /// When a token of it was last asked for, in milliseconds since 1970 UTC.
    public let lastUsed: Int64

    /// One account.
    public init(
        account: String,
        username: String,
        displayName: String,
        authority: String,
        policies: [String],
        lastUsed: Int64
    ) {
        self.account = account
        self.username = username
        self.displayName = displayName
        self.authority = authority
        self.policies = policies
        self.lastUsed = lastUsed
    }

    /// Reads an account.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            account: try reader.string("account"),
            username: try reader.string("username"),
            displayName: reader.value["displayName"]?.string ?? "",
            authority: reader.value["authority"]?.string ?? "local",
            policies: reader.value["policies"]?.strings ?? [],
            lastUsed: reader.value["lastUsed"]?.int ?? 0
        )
    }

    /// The account as it is written.
    public var json: JSONValue {
        [
            "account": .string(account), "username": .string(username), "displayName": .string(displayName),
            "authority": .string(authority), "policies": .array(policies.map(JSONValue.string)),
            "lastUsed": .int(lastUsed),
        ]
    }
}
