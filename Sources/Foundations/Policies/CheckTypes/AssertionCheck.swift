import FlowModel

extension CheckType {
    /// A statement that an identity provider of one's own has signed, and that a program brings (RFC 7523).
    public static let assertion = CheckType(
        name: "assertion",
        noun: "a signed statement",
        credential: .realm("assertion:"),
        maxAttempts: 5,
        attemptingStateExpiration: .seconds(300),
        blockedStateExpiration: .seconds(60),
        acr: "1",
        amr: ["fed"]
    )
}

/// An identity provider whose signed statements say who somebody is.
public struct AssertionRealm: Hashable, Sendable, Codable {
    /// The name of the realm.
    public let name: String
    /// `iss` of the statements.
    public let issuer: String
    /// The key that verifies them.
    public let publicKey: RSAPublicKey

    /// The issuer of its people, so that those of two realms are never the same.
    public var people: String { "assertion:\(issuer)/\(name)" }
}
