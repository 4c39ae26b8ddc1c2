/// A built-in user attribute, with the same limits as in Azure AD B2C.
struct BuiltInAttribute {
    let kind: AttributeRule.Kind
    let maxLength: Int
    let pattern: String?

    private init(_ maxLength: Int, kind: AttributeRule.Kind = .string, pattern: String? = nil) {
        self.kind = kind
        self.maxLength = maxLength
        self.pattern = pattern
    }

    static let customMaxLength = 250

    static let all: [String: BuiltInAttribute] = [
        "email": .init(254, kind: .email),
        "username": .init(64, pattern: "[A-Za-z0-9][A-Za-z0-9._-]*"),
        "displayName": .init(256, pattern: "[^<>]*"),
        "givenName": .init(64),
        "surname": .init(64),
        "jobTitle": .init(128),
        "streetAddress": .init(1024),
        "postalCode": .init(40),
        "city": .init(128),
        "state": .init(128),
        "country": .init(128),
        "preferredLanguage": .init(35),
    ]
}
