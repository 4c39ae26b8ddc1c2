public import FlowModel
public import OAuth

/// A method about one account of the caller, or about all of them.
public protocol AccountMethod: BrokerMethod {
    /// The account; all of the caller's if nil.
    var account: String? { get }

    /// A call about `account`, or about all accounts.
    init(account: String?)
}

extension AccountMethod {
    /// The parameters.
    public static var fields: [Field] { [.id("account")] }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        self.init(account: members.string("account"))
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("account", account)
        return object.members
    }
}

/// `account.list`: the caller's accounts.
public struct AccountList: BareMethod {
    /// The answer.
    public typealias Answer = [AccountSummary]

    /// Describes the method.
    public static let description = MethodDescription(
        "account.list",
        "Lists the caller's accounts.",
        answer: "accounts"
    )

    /// A call without parameters.
    public init() {}
}

/// `account.get`: one of the caller's accounts.
public struct AccountGet: BrokerMethod {
    /// The answer.
    public typealias Answer = AccountSummary

    /// Describes the method.
    public static let description = MethodDescription(
        "account.get",
        "Shows one of the caller's accounts.",
        [.requiredID("account")]
    )

    /// Its opaque id.
    public let account: String

    /// Asks for the account `account`.
    public init(account: String) {
        self.account = account
    }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        account = try members.required("account")
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] { ["account": .string(account)] }
}

/// `account.use`: makes an account the caller's default.
public struct AccountUse: BrokerMethod {
    /// The account as it is now.
    public typealias Answer = AccountSummary

    /// Describes the method.
    public static let description = MethodDescription(
        "account.use",
        "Makes an account the one that is meant where several are signed in and none is named.",
        [.requiredID("account")],
        changesState: true,
        // A repetition changes nothing.
        isRepeatable: true
    )

    /// The account's opaque id, as `account.list` answers it.
    public let account: String

    /// Makes `account` the default.
    public init(account: String) {
        self.account = account
    }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        account = try members.required("account")
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] { ["account": .string(account)] }
}

/// `account.import`: takes over an account whose refresh token another program has kept.
extension ImportedAccount: BrokerMethod {
    /// The account that was imported.
    public typealias Answer = AccountSummary

    /// Describes the method.
    public static let description = MethodDescription(
        "account.import",
        "Renews another program's refresh token of an outside authority, and keeps its account here.",
        [
            .required("name", .string(1...64)), .required("url", .string(1...2048)),
            .required("clientId", .string(1...512)), Field("clientSecret", .string(1...4096)), .scopes("scopes"),
            .required("refreshToken", .string(1...32_768)),
        ],
        changesState: true,
        // Forty seconds, since it asks the authority what it is, and then for the tokens.
        deadline: .seconds(40)
    )

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        let text = try members.required("refreshToken")
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw Members.invalid("refreshToken", Text("refusal.refreshTokenCharacters"))
        }
        self.init(Secret(text), at: try NewAuthority(members))
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        authority.params.merging(["refreshToken": .string(refreshToken.reveal())]) { $1 }
    }
}

extension AccountSummary: WireValue {
    /// Reads an account.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            account: try reader.string("account"),
            username: try reader.string("username"),
            displayName: reader.value["displayName"]?.string ?? "",
            authority: reader.value["authority"]?.string ?? "local",
            policies: reader.value["policies"]?.strings ?? [],
            lastUsed: reader.value["lastUsed"]?.int ?? 0,
            isDefault: reader.value["default"]?.bool ?? false
        )
    }

    /// The account as it is written.
    public var json: JSONValue {
        [
            "account": .string(account), "username": .string(username), "displayName": .string(displayName),
            "authority": .string(authority), "policies": .array(policies.map(JSONValue.string)),
            "lastUsed": .int(lastUsed), "default": .bool(isDefault),
        ]
    }
}
