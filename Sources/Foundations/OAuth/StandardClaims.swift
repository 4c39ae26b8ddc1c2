/// OpenID Connect's standard claims about a user (Core §5.1).
public enum StandardClaims {
    /// The standard claim for each attribute that has one.
    public static let byAttribute = [
        "displayName": "name", "givenName": "given_name", "surname": "family_name", "email": "email",
    ]
}
