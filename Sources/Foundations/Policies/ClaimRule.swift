import OAuth

/// A claim that a policy adds to tokens.
public struct ClaimRule: Hashable, Sendable, Codable {
    /// The name of the attribute or built-in value in the claim, such as `displayName`, `newUser` or `extension_team`.
    public let name: String
    /// The name of the token member, such as `name`.
    public let wireName: String

    /// Creates a claim with its default name, or with the name given by `as`.
    public init(_ name: String, as wireName: String? = nil) {
        self.name = name
        self.wireName = wireName ?? Self.usualNames[name] ?? name
    }

    /// The default claim names that differ from the attribute name: those of OpenID Connect Core §5.1, and B2C's short
    /// names.
    static let usualNames = StandardClaims.byAttribute.merging([
        "identityProvider": "idp", "username": "preferred_username",
    ]) { $1 }

    /// The values that are not attributes: the user's id and e-mail addresses, whether the account is new or its
    /// password was reset, the identity provider, and the identity at a custom provider.
    public static let builtIn: Set = [
        "oid", "newUser", "isForgotPassword", "identityProvider", "emails", "imf.user",
    ]

    /// Whether an external service may set the claim, because it does not identify the user.
    public var isOpen: Bool { !Self.builtIn.contains(name) && !["email", "username"].contains(name) }
}
