/// A kind of credential that users authenticate with, identified by its stored name.
///
/// Passing one of a credential's checks satisfies the others, and wrong answers to all of them are counted together.
public struct Credential: RawRepresentable, Hashable, Sendable, Codable, CodingKeyRepresentable {
    /// The name used in checks, budgets and the audit log.
    public let rawValue: String

    /// Creates a credential kind from its stored name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The user's password.
    public static let password = Credential(rawValue: "password")
    /// The user's e-mail address.
    public static let email = Credential(rawValue: "email")
    /// The PIN that the user set for one uid.
    public static let pin = Credential(rawValue: "pin")
    /// The user's account at an external provider, stored with the provider's name in place of a check name.
    public static let federated = Credential(rawValue: "federated")
    /// A remembered device on which the user passed a second factor earlier; the user is never prompted for it.
    public static let device = Credential(rawValue: "device")
    /// The user's authenticator app.
    public static let totp = Credential(rawValue: "totp")

    /// The only credentials that users can enrol, and that `credential.list`, `.enrol` and `.remove` accept.
    public static let enrolled: [Credential] = [.pin, .totp, .federated]

    /// Returns the credential for accounts at the custom identity provider with the given issuer.
    public static func realm(_ issuer: String) -> Credential { Credential(rawValue: issuer) }
}
