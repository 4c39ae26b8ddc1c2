public import FlowModel

/// `credential.remove`: begins the flow that removes a credential.
public struct CredentialRemove: CredentialMethod {
    /// The name on the wire.
    public static let name = "credential.remove"
    /// The sentence of `rpc.discover`.
    public static let summary = "Begins a flow that removes a credential after the sign-in's proofs."

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
