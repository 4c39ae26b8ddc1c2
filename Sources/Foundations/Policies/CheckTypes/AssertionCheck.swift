import FlowModel

extension CheckType {
    /// An assertion that is signed by a custom identity provider and presented by a program (RFC 7523).
    public static let assertion = CheckType(
        name: "assertion",
        noun: "a signed assertion",
        credential: .realm("assertion:"),
        maxAttempts: 5,
        attemptingStateExpiration: .seconds(300),
        blockedStateExpiration: .seconds(60),
        acr: "1",
        amr: ["fed"]
    )
}

/// An identity provider that authenticates users and vouches for them with signed assertions.
public struct AssertionRealm: Hashable, Sendable, Codable {
    /// The name of the realm.
    public let name: String
    /// The issuer (`iss`) of the assertions.
    public let issuer: String
    /// The public key that verifies the signatures of the assertions.
    public let publicKey: RSAPublicKey

    /// The issuer that is recorded for the provider's users, which differs for each realm.
    public var people: String { "assertion:\(issuer)/\(name)" }
}
