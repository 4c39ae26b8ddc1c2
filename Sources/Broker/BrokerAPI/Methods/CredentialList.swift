public import FlowModel
public import OAuth

/// `credential.list`: the credentials that an account has enrolled at this uid.
public struct CredentialList: BrokerMethod {
    /// The answer.
    public typealias Answer = Many<CredentialSummary>

    /// The name on the wire.
    public static let name = "credential.list"
    /// The sentence of `rpc.discover`.
    public static let summary = "Lists the credentials that an account has enrolled here, without secrets."
    /// The parameters.
    public static let fields: [Field] = [
        Field("type", Field.enrolled), .id("account"),
    ]

    /// The kind of credential; nil for all.
    public let type: Credential?
    /// The account, by its opaque id; nil for the one that is meant.
    public let account: String?

    /// A call.
    public init(type: Credential? = nil, account: String? = nil) {
        self.type = type
        self.account = account
    }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        type = members.string("type").map { Credential(rawValue: $0) }
        account = members.string("account")
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("type", type?.rawValue)
        object.set("account", account)
        return object.members
    }
}
