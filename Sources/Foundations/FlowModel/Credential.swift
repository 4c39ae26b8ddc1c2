/// A kind of credential that users authenticate with.
///
/// Several checks can verify the same credential. Passing one of them satisfies the others, and wrong answers to all of
/// them are counted together. The raw values are stored. Each check type declares its credential.
public struct Credential: RawRepresentable, Hashable, Sendable, Codable, CodingKeyRepresentable {
    /// The name used in checks, budgets and the audit.
    public let rawValue: String

    /// Creates a credential kind from its stored name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The user's password.
    public static let password = Credential(rawValue: "password")
    /// The user's e-mail address.
    public static let email = Credential(rawValue: "email")
    /// The user's PIN for one uid.
    public static let pin = Credential(rawValue: "pin")
    /// The user's account at an external provider.
    ///
    /// The provider's name is stored in place of a check name.
    public static let federated = Credential(rawValue: "federated")
    /// A device that is remembered because the user passed a second factor on it.
    ///
    /// No check prompts for this credential.
    public static let device = Credential(rawValue: "device")
    /// The user's authenticator app.
    public static let totp = Credential(rawValue: "totp")

    /// The credentials that users enrol, which `credential.list`, `credential.enrol` and `credential.remove` accept.
    public static let enrolled: [Credential] = [.pin, .totp, .federated]

    /// Returns the credential for accounts at the custom identity provider whose users have this issuer.
    public static func realm(_ issuer: String) -> Credential { Credential(rawValue: issuer) }
}
