/// A thing that a person proves their identity with.
///
/// A proof over it meets every check over it, and wrong answers to all of them are counted together. The words are
/// stored; a check type names the one that it is over.
public struct Credential: RawRepresentable, Hashable, Sendable, Codable, CodingKeyRepresentable {
    /// The word in proofs, budgets and the audit.
    public let rawValue: String

    /// A credential by its word.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The person's password.
    public static let password = Credential(rawValue: "password")
    /// The person's e-mail address.
    public static let email = Credential(rawValue: "email")
    /// The PIN that the person has for one uid.
    public static let pin = Credential(rawValue: "pin")
    /// The person's account at a provider outside, which a proof names as its check.
    public static let federated = Credential(rawValue: "federated")
    /// The device that a person signs in at, known by an earlier second factor; no check asks for it.
    public static let device = Credential(rawValue: "device")
    /// The person's authenticator app.
    public static let totp = Credential(rawValue: "totp")

    /// The credentials that users enrol: `credential.list`, `credential.enrol` and `credential.remove` take these.
    public static let enrolled: [Credential] = [.pin, .totp, .federated]

    /// The person's account at a custom identity provider, by the issuer of its people.
    public static func realm(_ issuer: String) -> Credential { Credential(rawValue: issuer) }
}
