public import FlowModel
public import JSONRPC
public import OAuth

/// `credential.enrol`: begins the flow that enrols a credential, or another in its place.
public struct CredentialEnrol: BrokerMethod {
    /// The answer.
    public typealias Answer = One<FlowDocument>

    /// The name on the wire.
    public static let name = "credential.enrol"
    /// The sentence of `rpc.discover`.
    public static let summary = "Begins a flow that sets a credential after the sign-in's proofs."
    /// The parameters.
    public static let fields: [Field] = [
        .required("type", Field.enrolled), .id("account"),
    ]
    /// True: it begins a flow, or ends a check.
    public static var changesState: Bool { true }
    /// Half a minute, since an answer may be evaluated.
    public var deadline: Duration { .seconds(30) }

    /// The kind of credential.
    public let type: Credential
    /// The account, by its opaque id; nil for the one that is meant.
    public let account: String?

    /// A call.
    public init(type: Credential, account: String? = nil) {
        self.type = type
        self.account = account
    }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        type = Credential(rawValue: try members.required("type"))
        account = members.string("account")
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("type", type.rawValue)
        object.set("account", account)
        return object.members
    }
}
