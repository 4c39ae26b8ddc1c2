import OAuth

/// What a provider says about a person, read by the claims that its registration names.
struct PersonClaims {
    /// The longest subject, in bytes (OpenID Connect Core §2 allows 255).
    static let longestSubject = 255
    /// The longest attribute, in Unicode scalars.
    static let longestAttribute = 256

    let claims: [String: JSONValue]
    let registration: ProviderRegistration

    /// The person; throws if the provider names nobody.
    func identity() throws(ProviderError) -> ProviderIdentity {
        guard let subject = text(registration.claims.subject), !subject.isEmpty,
            subject.utf8.count <= Self.longestSubject
        else { throw ProviderError(.protocolViolation, "\(registration.name) does not say who the person is") }
        var attributes: [String: String] = [:]
        for (name, claim) in registration.claims.attributes {
            guard let value = text(claim).map(Self.plain), !value.isEmpty else { continue }
            if name == "email" {
                guard registration.claims.trustsEmail, isEmailVerified else { continue }
            }
            attributes[name] = value
        }
        return ProviderIdentity(
            provider: registration.name,
            issuer: registration.issuer,
            subject: subject,
            attributes: attributes
        )
    }

    /// True if the provider says that it has verified the address; Apple says so in a text.
    private var isEmailVerified: Bool {
        claims["email_verified"] == .bool(true) || claims["email_verified"]?.string == "true"
    }

    /// The text of a claim, or its whole number; a dot in the name goes into a member.
    private func text(_ name: String) -> String? {
        let parts = name.split(separator: ".").map(String.init)
        guard let first = parts.first else { return nil }
        let value = parts.dropFirst().reduce(claims[first]) { $0?[$1] }
        return value?.string ?? value?.int.map { "\($0)" }
    }

    /// The text without what could mislead a reader, at most ``longestAttribute`` long.
    private static func plain(_ text: String) -> String {
        let kept = text.unicodeScalars.filter { !$0.isMisleading }
        return String(String.UnicodeScalarView(kept.prefix(longestAttribute)))
    }
}
