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
            enrolledAt: try reader.int("enrolledAt")
        )
    }

    /// The credential as it is written.
    public var json: JSONValue {
        ["type": .string(type.rawValue), "account": .string(account), "enrolledAt": .int(enrolledAt)]
    }
}

extension Field {
    /// The kinds of credentials that people enrol.
    static let enrolled: Schema = .choice([Credential.pin.rawValue, Credential.totp.rawValue])
}
