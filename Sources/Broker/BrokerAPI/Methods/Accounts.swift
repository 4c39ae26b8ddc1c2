public import FlowModel
public import OAuth

/// A method that concerns one of the caller's accounts, or all of them.
public protocol AccountMethod: BrokerMethod, WireObject {
    /// The opaque id of the account, or `nil` for all of the caller's accounts.
    var account: String? { get }

    /// Creates a call for `account`, or for all of the caller's accounts if `account` is `nil`.
    init(account: String?)
}

extension AccountMethod {
    /// The parameters, as JSON members.
    public static var wire: WireMembers<Self> {
        WireMembers(
            Self.init(account:),
            Member("account", optional: \.account, .id)
        )
    }
}

/// `account.list`: lists the caller's accounts.
public struct AccountList: BareMethod {
    /// The response: the caller's accounts.
    public typealias Answer = [AccountSummary]

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "account.list",
        "Lists the caller's accounts.",
        answer: "accounts"
    )

    /// Creates a call without parameters.
    public init() {}
}

/// `account.get`: returns one of the caller's accounts.
public struct AccountGet: BrokerMethod, WireObject {
    /// The response: the account.
    public typealias Answer = AccountSummary

    /// The parameters, as JSON members.
    public static let wire = WireMembers(Self.init(account:), Member("account", \.account, .id))

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "account.get",
        "Returns one of the caller's accounts.",
        wire.fields
    )

    /// The opaque id of the account.
    public let account: String

    /// Creates a request for the account `account`.
    public init(account: String) {
        self.account = account
    }
}

/// `account.use`: sets the caller's default account.
public struct AccountUse: BrokerMethod, WireObject {
    /// The response: the account after the call.
    public typealias Answer = AccountSummary

    /// The parameters, as JSON members.
    public static let wire = WireMembers(Self.init(account:), Member("account", \.account, .id))

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "account.use",
        "Sets the caller's default account, used when a call does not specify one of several.",
        wire.fields,
        changesState: true,
        isRepeatable: true
    )

    /// The opaque id of the account, as in `account.list`.
    public let account: String

    /// Creates a call that makes `account` the default.
    public init(account: String) {
        self.account = account
    }
}

/// `account.import`: imports an account from another program, using that program's refresh token.
extension ImportedAccount: BrokerMethod {
    /// The response: the imported account.
    public typealias Answer = AccountSummary

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "account.import",
        "Imports an account of an external authority, using another program's refresh token.",
        [
            .required("name", .name), .required("url", .string(1...2048)),
            .required("clientId", .string(1...512)), Field("clientSecret", .string(1...4096)), Field("scopes", .scopes),
            .required("refreshToken", .string(1...32_768)),
        ],
        changesState: true,
        // Allow 40 seconds, because the call reads the authority's metadata and then requests tokens.
        deadline: .seconds(40)
    )

    /// Reads parameters that have already been checked.
    public init(_ members: Members) throws(JSONRPCError) {
        let text: String = try members.required("refreshToken")
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw Members.invalid("refreshToken", Text("refusal.refreshTokenCharacters"))
        }
        self.init(Secret(text), at: try NewAuthority(members))
    }

    /// The parameters in JSON.
    public var params: [String: JSONValue] {
        authority.params.merging(["refreshToken": .string(refreshToken.reveal())]) { $1 }
    }
}

extension AccountSummary: WireObject {
    /// The JSON members, for reading and writing.
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
