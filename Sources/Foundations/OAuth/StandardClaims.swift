/// The standard claims about a user (OpenID Connect Core §5.1).
public enum StandardClaims {
    /// The names of standard claims, keyed by the names of the corresponding user attributes.
    public static let byAttribute = [
        "displayName": "name", "givenName": "given_name", "surname": "family_name", "email": "email",
    ]
}
