import FlowModel

extension CheckType {
    /// A custom identity provider that defines its own steps and is called over HTTP.
    ///
    /// Each answer counts as wrong until the check succeeds, because only the provider knows which answers are wrong.
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

/// The settings of a custom identity provider, including which details of a flow it receives.
public struct CustomRealm: Hashable, Sendable, Codable {
    /// The details of a flow that a provider can receive, each with the name of its HTTP header.
    public enum Header: String, Hashable, Sendable, Codable, CaseIterable {
        case acceptLanguage = "accept-language"
        case clientID = "x-client-id"
        case policy = "x-policy"
    }

    /// How the authority authenticates its requests to the provider.
    public enum Proof: String, Hashable, Sendable, Codable, CaseIterable {
        /// A token for a single request, signed with the authority's key.
        case jwt
        case none
    }

    /// The name of the realm, as the provider defines it.
    public let name: String
    /// The base URL, to which the paths of requests to the provider are appended.
    public let url: String
    /// The tenant in the path of requests to the provider.
    public let tenant: String
    /// How the authority authenticates its requests to the provider.
    public let proof: Proof
    /// The details of the flow that are sent to the provider as headers, while all other details are withheld.
    public let passHeaders: [Header]

    /// Creates the settings of a provider.
    public init(name: String, url: String, tenant: String, proof: Proof = .jwt, passHeaders: [Header] = []) {
        self.name = name
        self.url = url
        self.tenant = tenant
        self.proof = proof
        self.passHeaders = passHeaders
    }

    /// The issuer that is recorded for the provider's users, which differs for each realm.
    public var issuer: String { "realm:\(tenant)/\(name)" }
}
