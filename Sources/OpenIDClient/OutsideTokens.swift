public import Moments
public import OAuth

/// The tokens that a request at an outside authority is for.
public struct OutsideDemand: Hashable, Sendable {
    /// The scopes that the token must have.
    public let scopes: [String]
    /// Scopes to ask consent for, too.
    public let additionalScopes: [String]
    /// The API by its URI (RFC 8707).
    public let resource: String?
    /// More parameters of the authorization request.
    public let parameters: [String: String]

    /// Names the tokens that are asked for.
    public init(
        scopes: [String],
        additionalScopes: [String] = [],
        resource: String? = nil,
        parameters: [String: String] = [:]
    ) {
        self.scopes = scopes
        self.additionalScopes = additionalScopes
        self.resource = resource
        self.parameters = parameters
    }

    /// The fields of the authorization request, beside the scopes.
    var fields: [(name: String, value: String)] {
        let resource = resource.map { [(name: "resource", value: $0)] } ?? []
        return resource + parameters.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }

    /// The scopes of the authorization request: a refresh token is asked for where the authority knows the scope.
    func scopes(offeredBy metadata: ProviderMetadata) -> [String] {
        guard metadata.keys != nil else {
            // OAuth 2.0 alone knows neither scope of OpenID Connect.
            var seen: Set<String> = []
            return (scopes + additionalScopes).filter { seen.insert($0).inserted }
        }
        let offline = Scope.offlineAccess.name
        let keeps = metadata.scopes.isEmpty || metadata.scopes.contains(offline)
        var seen: Set<String> = []
        return ([Scope.openid.name] + scopes + additionalScopes + (keeps ? [offline] : []))
            .filter { seen.insert($0).inserted }
    }
}

/// The tokens that an outside authority has issued for a person, verified.
public struct OutsideTokens: Sendable {
    /// The access token.
    public let accessToken: Secret
    /// The refresh token; nil if none was given, or the old one stays.
    public let refreshToken: Secret?
    /// The ID token.
    public let idToken: Secret?
    /// The claims of the ID token; nil if a renewal gave none.
    public let claims: [String: JSONValue]?
    /// The scopes that the access token has.
    public let scopes: [String]
    /// The end of the access token's life.
    public let expires: Deadline
}
