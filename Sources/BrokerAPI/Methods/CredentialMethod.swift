public import FlowModel
public import JSONRPC
public import OAuth

/// A method that begins a flow about a credential of an account: `credential.enrol` or `credential.remove`.
public protocol CredentialMethod: BrokerMethod where Answer == One<FlowDocument> {
    /// The kind of credential.
    var type: Credential { get }
    /// The account, by its opaque id; nil for the one that is meant.
    var account: String? { get }

    /// A call.
    init(type: Credential, account: String?)
}

extension CredentialMethod {
    /// The parameters.
    public static var fields: [Field] { [.required("type", Field.enrolled), .id("account")] }
    /// True: it begins a flow.
    public static var changesState: Bool { true }
    /// Half a minute, since an answer may be evaluated.
    public var deadline: Duration { .seconds(30) }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        self.init(type: Credential(rawValue: try members.required("type")), account: members.string("account"))
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("type", type.rawValue)
        object.set("account", account)
        return object.members
    }
}
