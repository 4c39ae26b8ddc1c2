/// The claims of OpenID Connect that say something about a person (Core §5.1).
public enum StandardClaims {
    /// The claim of each attribute that has one.
    public static let byAttribute = [
        "displayName": "name", "givenName": "given_name", "surname": "family_name", "email": "email",
    ]
}
