public import FlowModel
public import OAuth

/// A method that starts a flow to change one of an account's credentials: `credential.enrol` or `credential.remove`.
public protocol CredentialMethod: BrokerMethod where Answer == Flow {
    /// The type of the credential.
    var type: Credential { get }
    /// The opaque id of the account, or `nil` for the account that `token.acquire` would use.
    var account: String? { get }

    /// For linked accounts, the identity provider's name in the daemon's configuration.
    ///
    /// `nil` for other types of credentials.
    var provider: String? { get }

    /// Creates a call for one of an account's credentials.
    init(type: Credential, account: String?, provider: String?)
}

extension CredentialMethod {
    /// The parameters that the method accepts.
    public static var fields: [Field] {
        [.required("type", .enrolled), Field("account", .id), Field("provider", .name)]
    }

    /// Reads parameters that have already been checked.
    public init(_ members: Members) throws(JSONRPCError) {
        let type: Credential = try members.required("type")
        let provider: String? = members["provider"]
        guard (type == .federated) == (provider != nil) else {
            let key = provider == nil ? "refusal.federatedNeedsProvider" : "refusal.providerOfFederated"
            throw Members.invalid("provider", Text(key))
        }
        self.init(type: type, account: members["account"], provider: provider)
    }

    /// The parameters in JSON.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("type", type)
        object.set("account", account)
        object.set("provider", provider)
        return object.members
    }
}

/// `credential.enrol`: starts a flow that enrols or replaces a credential, or links an account at an identity provider.
public struct CredentialEnrol: CredentialMethod {
    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "credential.enrol",
        "Starts a flow that sets a credential after the user has signed in again.",
        fields,
        answer: "flow",
        changesState: true,
        // Allow 30 seconds, because starting the flow can require a call to an external service.
        deadline: .seconds(30)
    )

    /// The type of the credential.
    public let type: Credential
    /// The opaque id of the account, or `nil` for the account that `token.acquire` would use.
    public let account: String?
    /// For linked accounts, the identity provider's name in the daemon's configuration.
    ///
    /// `nil` for other types of credentials.
    public let provider: String?

    /// Creates a call for one of an account's credentials.
    public init(type: Credential, account: String? = nil, provider: String? = nil) {
        self.type = type
        self.account = account
        self.provider = provider
    }
}

/// `credential.remove`: starts a flow that removes a credential.
public struct CredentialRemove: CredentialMethod {
    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "credential.remove",
        "Starts a flow that removes a credential after the user has signed in again.",
        fields,
        answer: "flow",
        changesState: true,
        // Allow 30 seconds, because starting the flow can require a call to an external service.
        deadline: .seconds(30)
    )

    /// The type of the credential.
    public let type: Credential
    /// The opaque id of the account, or `nil` for the account that `token.acquire` would use.
    public let account: String?
    /// For linked accounts, the identity provider's name in the daemon's configuration.
    ///
    /// `nil` for other types of credentials.
    public let provider: String?

    /// Creates a call for one of an account's credentials.
    public init(type: Credential, account: String? = nil, provider: String? = nil) {
        self.type = type
        self.account = account
        self.provider = provider
    }
}

/// `credential.list`: lists the credentials of an account that are enrolled for the caller's uid.
public struct CredentialList: BrokerMethod, WireObject {
    /// The response: the credentials.
    public typealias Answer = [CredentialSummary]

    /// The parameters, as JSON members.
    public static let wire = WireMembers(
        Self.init(type:account:),
        Member("type", optional: \.type, .enrolled),
        Member("account", optional: \.account, .id)
    )

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "credential.list",
        "Lists the credentials that an account has enrolled at this uid, without secrets.",
        wire.fields,
        answer: "credentials"
    )

    /// The type of credential, or `nil` for all types.
    public let type: Credential?
    /// The opaque id of the account, or `nil` for the account that `token.acquire` would use.
    public let account: String?

    /// Creates a call that lists an account's credentials.
    public init(type: Credential? = nil, account: String? = nil) {
        self.type = type
        self.account = account
    }
}

extension CredentialSummary: WireObject {
    /// The JSON members, for reading and writing.
    public static let wire = WireMembers(
        Self.init(type:account:enrolledAt:provider:),
        Member("type", \.type),
        Member("account", \.account),
        Member("enrolledAt", \.enrolledAt),
        Member("provider", optional: \.provider)
    )
}

extension Schema {
    /// The types of credentials that users can enrol.
    static let enrolled = Schema.choice(Credential.enrolled.map(\.rawValue))
}

extension Credential: WireWord {}
