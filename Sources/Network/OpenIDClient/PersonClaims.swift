import OAuth

struct PersonClaims {
    /// The maximum length of a subject, in bytes (OpenID Connect Core §2).
    static let longestSubject = 255
    /// The maximum length of an attribute, in Unicode scalars.
    static let longestAttribute = 256

    let claims: [String: JSONValue]
    let registration: ProviderRegistration

    /// Returns the user's identity, or throws an error if the claims do not identify the user.
    func identity() throws(ProviderError) -> ProviderIdentity {
        guard let subject = text(registration.claims.subject), !subject.isEmpty,
            subject.utf8.count <= Self.longestSubject
        else { throw ProviderError(.protocolViolation, "\(registration.name) does not identify the user") }
        var attributes: [String: String] = [:]
        for (name, claim) in registration.claims.attributes {
            guard let text = text(claim) else { continue }
            let value =
                name == "email" || name == "username"
                ? text.removingMisleading(limit: Self.longestAttribute)
                : text.removingOutOfPlace(limit: Self.longestAttribute)
            guard !value.isEmpty else { continue }
            if name == "email" {
                guard registration.claims.trustsEmail, isEmailVerified else { continue }
            }
            attributes[name] = name == "email" ? MailAddress.ascii(value) ?? value : value
        }
        return ProviderIdentity(
            provider: registration.name,
            issuer: registration.issuer,
            subject: subject,
            attributes: attributes
        )
    }

    /// Whether the provider has verified the e-mail address, which Apple states in a string, not a Boolean.
    private var isEmailVerified: Bool {
        claims["email_verified"] == .bool(true) || claims["email_verified"]?.string == "true"
    }

    /// Returns a string or integer claim as a string, where a dot in the name selects a member of an object.
    private func text(_ name: String) -> String? {
        let parts = name.split(separator: ".").map(String.init)
        guard let first = parts.first else { return nil }
        let value = parts.dropFirst().reduce(claims[first]) { $0?[$1] }
        return value?.string ?? value?.int.map { "\($0)" }
    }
}
