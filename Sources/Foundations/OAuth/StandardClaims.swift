/// OpenID Connect's standard claims about a user (Core §5.1).
public enum StandardClaims {
    /// The names of standard claims, keyed by the names of the corresponding attributes.
    public static let byAttribute = [
        "displayName": "name", "givenName": "given_name", "surname": "family_name", "email": "email",
    ]
}
