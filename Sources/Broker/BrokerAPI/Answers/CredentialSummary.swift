public import FlowModel
public import OAuth

extension CredentialSummary: NamedValue {
    /// The member that holds one credential.
    public static var nameOfOne: String { "credential" }
    /// The member that holds a list of credentials.
    public static var nameOfMany: String { "credentials" }

    /// Reads a credential.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            type: Credential(rawValue: try reader.string("type")),
            account: try reader.string("account"),
            enrolledAt: try reader.int("enrolledAt"),
            provider: reader.value["provider"]?.string
        )
    }

    /// The credential as it is written.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("type", type.rawValue)
        object.set("account", account)
        object.set("enrolledAt", enrolledAt)
        object.set("provider", provider)
        return object.json
    }
}

extension Field {
    /// The kinds of credentials that people enrol.
    static let enrolled: Schema = .choice(
        [Credential.pin, Credential.totp, Credential.federated].map(\.rawValue)
    )
}
