public import FlowModel
public import OAuth

/// A method that begins a flow about a credential of an account: `credential.enrol` or `credential.remove`.
public protocol CredentialMethod: BrokerMethod where Answer == One<FlowDocument> {
    /// The kind of credential.
    var type: Credential { get }
    /// The account, by its opaque id; nil for the one that is meant.
    var account: String? { get }

    /// The provider whose account it is, by its name in the daemon's configuration; nil for any other kind.
    var provider: String? { get }

    /// A call.
    init(type: Credential, account: String?, provider: String?)
}

extension CredentialMethod {
    /// The parameters.
    public static var fields: [Field] {
        [.required("type", Field.enrolled), .id("account"), Field("provider", .string(1...64))]
    }
    /// True: it begins a flow.
    public static var changesState: Bool { true }
    /// Half a minute, since an answer may be evaluated.
    public var deadline: Duration { .seconds(30) }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        let type = Credential(rawValue: try members.required("type"))
        let provider = members.string("provider")
        guard (type == .federated) == (provider != nil) else {
            let problem = provider == nil ? "must be given with the type federated" : "is for the type federated only"
            throw Members.invalid("provider", problem)
        }
        self.init(type: type, account: members.string("account"), provider: provider)
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("type", type.rawValue)
        object.set("account", account)
        object.set("provider", provider)
        return object.members
    }
}
