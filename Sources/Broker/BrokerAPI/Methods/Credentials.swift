public import FlowModel
public import OAuth

/// A method that begins a flow about a credential of an account: `credential.enrol` or `credential.remove`.
public protocol CredentialMethod: BrokerMethod where Answer == Flow {
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
        [.required("type", .enrolled), Field("account", .id), Field("provider", .name)]
    }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        let type: Credential = try members.required("type")
        let provider: String? = members["provider"]
        guard (type == .federated) == (provider != nil) else {
            let key = provider == nil ? "refusal.federatedNeedsProvider" : "refusal.providerOfFederated"
            throw Members.invalid("provider", Text(key))
        }
        self.init(type: type, account: members["account"], provider: provider)
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("type", type)
        object.set("account", account)
        object.set("provider", provider)
        return object.members
    }
}

/// `credential.enrol`: begins the flow that enrols a credential, or another in its place, or links an account elsewhere.
public struct CredentialEnrol: CredentialMethod {
    /// Describes the method.
    public static let description = MethodDescription(
        "credential.enrol",
        "Begins a flow that sets a credential after the sign-in's proofs.",
        fields,
        answer: "flow",
        changesState: true,
        // Half a minute, since an answer may be evaluated.
        deadline: .seconds(30)
    )

    /// The kind of credential.
    public let type: Credential
    /// The account, by its opaque id; nil for the one that is meant.
    public let account: String?
    /// The provider whose account it is, by its name in the daemon's configuration; nil for any other kind.
    public let provider: String?

    /// A call.
    public init(type: Credential, account: String? = nil, provider: String? = nil) {
        self.type = type
        self.account = account
        self.provider = provider
    }
}

/// `credential.remove`: begins the flow that removes a credential.
public struct CredentialRemove: CredentialMethod {
    /// Describes the method.
    public static let description = MethodDescription(
        "credential.remove",
        "Begins a flow that removes a credential after the sign-in's proofs.",
        fields,
        answer: "flow",
        changesState: true,
        // Half a minute, since an answer may be evaluated.
        deadline: .seconds(30)
    )

    /// The kind of credential.
    public let type: Credential
    /// The account, by its opaque id; nil for the one that is meant.
    public let account: String?
    /// The provider whose account it is, by its name in the daemon's configuration; nil for any other kind.
    public let provider: String?

    /// A call.
    public init(type: Credential, account: String? = nil, provider: String? = nil) {
        self.type = type
        self.account = account
        self.provider = provider
    }
}

/// `credential.list`: the credentials that an account has enrolled at this uid.
public struct CredentialList: BrokerMethod, WireObject {
    /// The answer.
    public typealias Answer = [CredentialSummary]

    /// The parameters.
    public static let wire = WireMembers(
        Self.init(type:account:),
        Member("type", optional: \.type, .enrolled),
        Member("account", optional: \.account, .id)
    )

    /// Describes the method.
    public static let description = MethodDescription(
        "credential.list",
        "Lists the credentials that an account has enrolled here, without secrets.",
        wire.fields,
        answer: "credentials"
    )

    /// The kind of credential; nil for all.
    public let type: Credential?
    /// The account, by its opaque id; nil for the one that is meant.
    public let account: String?

    /// A call.
    public init(type: Credential? = nil, account: String? = nil) {
        self.type = type
        self.account = account
    }
}

extension CredentialSummary: WireObject {
    /// The members on the wire.
    public static let wire = WireMembers(
        Self.init(type:account:enrolledAt:provider:),
        Member("type", \.type),
        Member("account", \.account),
        Member("enrolledAt", \.enrolledAt),
        Member("provider", optional: \.provider)
    )
}

extension Schema {
    /// The kinds of credentials that people enrol.
    static let enrolled = Schema.choice(Credential.enrolled.map(\.rawValue))
}

extension Credential: WireWord {}
