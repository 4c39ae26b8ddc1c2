public import FlowModel

/// `credential.enrol`: begins the flow that enrols a credential, or another in its place.
public struct CredentialEnrol: CredentialMethod {
    /// The name on the wire.
    public static let name = "credential.enrol"
    /// The sentence of `rpc.discover`.
    public static let summary = "Begins a flow that sets a credential after the sign-in's proofs."

    /// The kind of credential.
    public let type: Credential
    /// The account, by its opaque id; nil for the one that is meant.
    public let account: String?

    /// A call.
    public init(type: Credential, account: String? = nil) {
        self.type = type
        self.account = account
    }
}
