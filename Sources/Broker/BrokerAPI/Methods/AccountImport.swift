public import FlowModel
public import OAuth

/// `account.import`: takes over an account whose refresh token another program has kept.
extension ImportedAccount: BrokerMethod {
    /// The account that was imported.
    public typealias Answer = AccountSummary

    /// The name on the wire.
    public static let name = "account.import"
    /// The sentence of `rpc.discover`.
    public static let summary =
        "Renews another program's refresh token of an outside authority, and keeps its account here."
    /// The parameters.
    public static let fields: [Field] = [
        .required("name", .string(1...64)), .required("url", .string(1...2048)),
        .required("clientId", .string(1...512)), Field("clientSecret", .string(1...4096)), .scopes("scopes"),
        .required("refreshToken", .string(1...32_768)),
    ]
    /// True: the refresh token may be spent.
    public static var changesState: Bool { true }
    /// Forty seconds, since it asks the authority what it is, and then for the tokens.
    public var deadline: Duration { .seconds(40) }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        let text = try members.required("refreshToken")
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw Members.invalid("refreshToken", "has characters that no refresh token has")
        }
        self.init(Secret(text), at: try NewAuthority(members))
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        authority.params.merging(["refreshToken": .string(refreshToken.reveal())]) { $1 }
    }
}
