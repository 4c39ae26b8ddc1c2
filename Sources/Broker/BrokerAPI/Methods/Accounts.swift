public import FlowModel
public import OAuth

/// A method about one account of the caller, or about all of them.
public protocol AccountMethod: BrokerMethod, WireObject {
    /// The account; all of the caller's if nil.
    var account: String? { get }

    /// A call about `account`, or about all accounts.
    init(account: String?)
}

extension AccountMethod {
    /// The parameters.
    public static var wire: WireMembers<Self> {
        WireMembers(
            Self.init(account:),
            Member("account", optional: \.account, .id)
        )
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
public struct AccountGet: BrokerMethod, WireObject {
    /// The answer.
    public typealias Answer = AccountSummary

    /// The parameters.
    public static let wire = WireMembers(Self.init(account:), Member("account", \.account, .id))

    /// Describes the method.
    public static let description = MethodDescription(
        "account.get",
        "Shows one of the caller's accounts.",
        wire.fields
    )

    /// Its opaque id.
    public let account: String

    /// Asks for the account `account`.
    public init(account: String) {
        self.account = account
    }
}

/// `account.use`: makes an account the caller's default.
public struct AccountUse: BrokerMethod, WireObject {
    /// The account as it is now.
    public typealias Answer = AccountSummary

    /// The parameters.
    public static let wire = WireMembers(Self.init(account:), Member("account", \.account, .id))

    /// Describes the method.
    public static let description = MethodDescription(
        "account.use",
        "Makes an account the one that is meant where several are signed in and none is named.",
        wire.fields,
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
            .required("name", .name), .required("url", .string(1...2048)),
            .required("clientId", .string(1...512)), Field("clientSecret", .string(1...4096)), Field("scopes", .scopes),
            .required("refreshToken", .string(1...32_768)),
        ],
        changesState: true,
        // Forty seconds, since it asks the authority what it is, and then for the tokens.
        deadline: .seconds(40)
    )

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        let text: String = try members.required("refreshToken")
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

extension AccountSummary: WireObject {
    /// The members on the wire.
    public static let wire = WireMembers(
        Self.init(account:username:displayName:authority:policies:lastUsed:isDefault:),
        Member("account", \.account),
        Member("username", \.username),
        Member("displayName", \.displayName, or: ""),
        Member("authority", \.authority, or: "local"),
        Member("policies", \.policies),
        Member("lastUsed", \.lastUsed, or: 0),
        Member("default", \.isDefault, or: false)
    )
}
