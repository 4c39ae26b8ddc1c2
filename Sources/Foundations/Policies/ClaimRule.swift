import OAuth

/// A claim that a policy adds to tokens.
public struct ClaimRule: Hashable, Sendable, Codable {
    /// The name of the attribute or built-in value, such as `displayName`, `newUser` or `extension_team`.
    public let name: String
    /// The name of the token member, such as `name`.
    public let wireName: String

    /// Creates a claim that is named `wireName` in tokens, or has its default name if `wireName` is `nil`.
    public init(_ name: String, as wireName: String? = nil) {
        self.name = name
        self.wireName = wireName ?? Self.usualNames[name] ?? name
    }

    /// The default claim names that differ from the attribute's name (OpenID Connect Core §5.1, or B2C's short names).
    static let usualNames = StandardClaims.byAttribute.merging([
        "identityProvider": "idp", "username": "preferred_username",
    ]) { $1 }

    /// The names of values that are not attributes but properties of the user, the flow or the identity provider.
    public static let builtIn: Set = [
        "oid", "newUser", "isForgotPassword", "identityProvider", "emails", "imf.user",
    ]

    /// Whether an external service may set the claim, which is the case for attributes except `email` and `username`.
    public var isOpen: Bool { !Self.builtIn.contains(name) && !["email", "username"].contains(name) }
}
