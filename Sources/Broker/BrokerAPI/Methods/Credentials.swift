public import FlowModel
public import OAuth

/// A method that starts a flow in which the user changes a credential: `credential.enrol` or `credential.remove`.
public protocol CredentialMethod: BrokerMethod where Answer == Flow {
    var type: Credential { get }
    /// The opaque id of the account, or `nil` to use the caller's only or default local account.
    var account: String? { get }

    /// The configured name of the linked account's identity provider, or `nil` for other types of credentials.
    var provider: String? { get }

    init(type: Credential, account: String?, provider: String?)
}

extension CredentialMethod {
    /// The parameters that the method accepts.
    public static var fields: [Field] {
        [.required("type", .enrolled), Field("account", .id), Field("provider", .name)]
    }

    /// Creates a call from its parameters.
    ///
    /// - Throws: An error if `provider` is missing for a linked account, or present for another type of credential.
    public init(_ members: Members) throws(JSONRPCError) {
        let type: Credential = try members.required("type")
        let provider: String? = members["provider"]
        guard (type == .federated) == (provider != nil) else {
            let key = provider == nil ? "refusal.federatedNeedsProvider" : "refusal.providerOfFederated"
            throw Members.invalid("provider", Text(key))
        }
        self.init(type: type, account: members["account"], provider: provider)
    }

    /// The parameters of this call as JSON members.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("type", type)
        object.set("account", account)
        object.set("provider", provider)
        return object.members
    }
}

/// The `credential.enrol` method, which starts a flow that enrols or replaces a credential or a linked account.
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
    /// The opaque id of the account, or `nil` to use the caller's only or default local account.
    public let account: String?
    /// The configured name of the linked account's identity provider, or `nil` for other types of credentials.
    public let provider: String?

    /// Creates a call that acts on one of an account's credentials.
    public init(type: Credential, account: String? = nil, provider: String? = nil) {
        self.type = type
        self.account = account
        self.provider = provider
    }
}

/// The `credential.remove` method, which starts a flow that removes a credential.
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
    /// The opaque id of the account, or `nil` to use the caller's only or default local account.
    public let account: String?
    /// The configured name of the linked account's identity provider, or `nil` for other types of credentials.
    public let provider: String?

    /// Creates a call that acts on one of an account's credentials.
    public init(type: Credential, account: String? = nil, provider: String? = nil) {
        self.type = type
        self.account = account
        self.provider = provider
    }
}

/// The `credential.list` method, which lists an account's credentials for the caller's uid, and its linked accounts.
public struct CredentialList: BrokerMethod, WireObject {
    /// The type of the response, which contains the credentials.
    public typealias Answer = [CredentialSummary]

    /// The JSON members, which are used to read and write the parameters.
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

    /// The type of the credentials to list, or `nil` to list all types.
    public let type: Credential?
    /// The opaque id of the account, or `nil` to use the caller's only or default local account.
    public let account: String?

    /// Creates a call that lists an account's credentials.
    public init(type: Credential? = nil, account: String? = nil) {
        self.type = type
        self.account = account
    }
}

extension CredentialSummary: WireObject {
    /// The JSON members, which are used to read and write the value.
    public static let wire = WireMembers(
        Self.init(type:account:enrolledAt:provider:),
        Member("type", \.type),
        Member("account", \.account),
        Member("enrolledAt", \.enrolledAt),
        Member("provider", optional: \.provider)
    )
}

extension Schema {
    static let enrolled = Schema.choice(Credential.enrolled.map(\.rawValue))
}

extension Credential: WireWord {}
