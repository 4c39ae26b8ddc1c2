public import FlowModel
public import OAuth

/// A method that acts on one of the caller's accounts, or all of them.
public protocol AccountMethod: BrokerMethod, WireObject {
    /// The opaque id of the account, or `nil` if the call concerns all of the caller's accounts.
    var account: String? { get }

    init(account: String?)
}

extension AccountMethod {
    /// The JSON members, which are used to read and write the parameters.
    public static var wire: WireMembers<Self> {
        WireMembers(
            Self.init(account:),
            Member("account", optional: \.account, .id)
        )
    }
}

/// The `account.list` method, which lists the caller's accounts.
public struct AccountList: BareMethod {
    /// The type of the response, which contains the caller's accounts.
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

/// The `account.get` method, which returns one of the caller's accounts.
public struct AccountGet: BrokerMethod, WireObject {
    /// The type of the response, which contains the account.
    public typealias Answer = AccountSummary

    /// The JSON members, which are used to read and write the parameters.
    public static let wire = WireMembers(Self.init(account:), Member("account", \.account, .id))

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "account.get",
        "Returns one of the caller's accounts.",
        wire.fields
    )

    /// The opaque id of the account.
    public let account: String

    /// Creates a call that returns the account `account`.
    public init(account: String) {
        self.account = account
    }
}

/// The `account.use` method, which sets the caller's default account.
public struct AccountUse: BrokerMethod, WireObject {
    /// The type of the response, which contains the account in its state after the call.
    public typealias Answer = AccountSummary

    /// The JSON members, which are used to read and write the parameters.
    public static let wire = WireMembers(Self.init(account:), Member("account", \.account, .id))

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "account.use",
        "Sets the caller's default account, used when a call does not specify one of several.",
        wire.fields,
        changesState: true,
        isRepeatable: true
    )

    /// The opaque id of the account, as returned by `account.list`.
    public let account: String

    /// Creates a call that makes `account` the default account.
    public init(account: String) {
        self.account = account
    }
}

extension ImportedAccount: BrokerMethod {
    /// The type of the response, which contains the imported account.
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
        // Allow 40 seconds, because the call reads the external authority's metadata and then requests tokens.
        deadline: .seconds(40)
    )

    /// Creates a call from parameters that have already been validated.
    public init(_ members: Members) throws(JSONRPCError) {
        let text: String = try members.required("refreshToken")
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw Members.invalid("refreshToken", Text("refusal.refreshTokenCharacters"))
        }
        self.init(Secret(text), at: try NewAuthority(members))
    }

    /// The parameters of this call as JSON members.
    public var params: [String: JSONValue] {
        authority.params.merging(["refreshToken": .string(refreshToken.reveal())]) { $1 }
    }
}

extension AccountSummary: WireObject {
    /// The JSON members, which are used to read and write the value.
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
