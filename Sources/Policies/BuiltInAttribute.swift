/// An attribute that every user may have, with B2C's limits.
struct BuiltInAttribute {
    let kind: AttributeRule.Kind
    let maxLength: Int
    let label: String
    let pattern: String?

    private init(_ label: String, _ maxLength: Int, kind: AttributeRule.Kind = .string, pattern: String? = nil) {
        self.kind = kind
        self.maxLength = maxLength
        self.label = label
        self.pattern = pattern
    }

    /// The greatest number of characters of an attribute that a policy defines.
    static let customMaxLength = 250

    static let all: [String: BuiltInAttribute] = [
        "email": .init("E-mail address", 254, kind: .email),
        "username": .init("User name", 64, pattern: "[A-Za-z0-9][A-Za-z0-9._-]*"),
        "displayName": .init("Display name", 256, pattern: "[^<>]*"),
        "givenName": .init("Given name", 64),
        "surname": .init("Surname", 64),
        "jobTitle": .init("Job title", 128),
        "streetAddress": .init("Street address", 1024),
        "postalCode": .init("Postal code", 40),
        "city": .init("City", 128),
        "state": .init("State or province", 128),
        "country": .init("Country or region", 128),
        "preferredLanguage": .init("Preferred language", 35),
    ]
}
