import OAuth

/// One claim that a policy puts into tokens.
public struct ClaimRule: Hashable, Sendable, Codable {
    /// The attribute or built-in value that it shows, such as `displayName`, `newUser` or `extension_team`.
    public let name: String
    /// The member of the token, such as `name`.
    public let wireName: String

    /// A claim under its usual name, or renamed by `as`.
    public init(_ name: String, as wireName: String? = nil) {
        self.name = name
        self.wireName = wireName ?? Self.usualNames[name] ?? name
    }

    /// Attributes with another name in OpenID Connect Core §5.1, and B2C's own short names.
    static let usualNames = StandardClaims.byAttribute.merging([
        "identityProvider": "idp", "username": "preferred_username",
    ]) { $1 }

    /// Values that are not attributes: the user's id and e-mail addresses, if the account is new or its password was forgotten,
    /// the identity provider, and what a custom one says of the person.
    public static let builtIn: Set = [
        "oid", "newUser", "isForgotPassword", "identityProvider", "emails", "imf.user",
    ]

    /// True for a claim that a service outside may say: it does not tell who somebody is.
    public var isOpen: Bool { !Self.builtIn.contains(name) && !["email", "username"].contains(name) }
}
