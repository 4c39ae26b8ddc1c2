import FlowModel

extension CheckType {
    /// A custom identity provider, which asks its own questions over HTTP.
    ///
    /// Every answer counts until one of the conversation's is right, since only the provider knows which are wrong.
    public static let customIdentityProvider = CheckType(
        name: "customIdentityProvider",
        noun: "a custom identity provider",
        credential: .realm("realm:"),
        maxAttempts: 5,
        attemptingStateExpiration: .seconds(300),
        blockedStateExpiration: .seconds(60),
        acr: "1",
        amr: ["fed"]
    )
}

/// The place of a custom identity provider, and what it is told.
public struct CustomRealm: Hashable, Sendable, Codable {
    /// The facts about a flow that a provider may be told, by the names of the headers.
    public enum Header: String, Hashable, Sendable, Codable, CaseIterable {
        /// The person's language.
        case acceptLanguage = "accept-language"
        /// The client that asks.
        case clientID = "x-client-id"
        /// The policy of the flow.
        case policy = "x-policy"
    }

    /// The ways in which requests prove where they come from.
    public enum Proof: String, Hashable, Sendable, Codable, CaseIterable {
        /// A token signed by the authority's key, for the one request.
        case jwt
        /// None.
        case none
    }

    /// The name of the realm, the provider's own.
    public let name: String
    /// The base URL, which the protocol's path follows.
    public let url: String
    /// The tenant in the path.
    public let tenant: String
    /// The way in which requests prove where they come from.
    public let proof: Proof
    /// The facts that the provider is told as headers, and no others.
    public let passHeaders: [Header]

    /// The place of a provider.
    public init(name: String, url: String, tenant: String, proof: Proof = .jwt, passHeaders: [Header] = []) {
        self.name = name
        self.url = url
        self.tenant = tenant
        self.proof = proof
        self.passHeaders = passHeaders
    }

    /// The issuer of its people, so that those of two realms are never the same.
    public var issuer: String { "realm:\(tenant)/\(name)" }
}
