import OpenIDClient
import ProgramConfiguration

extension Settings {
    /// The providers outside, as their client calls them.
    static func providers(_ configuration: BrokerConfiguration) -> [String: ProviderRegistration] {
        // Providers compare it with what was registered, so it is in lower case like all addresses of ours.
        let redirectURI = "\(configuration.issuerBase)/\(configuration.tenant.lowercased())/oauth2/authresp"
        return configuration.identityProviders.mapValues { ProviderRegistration($0, redirectURI: redirectURI) }
    }
}

extension ProviderRegistration {
    fileprivate init(_ provider: ProviderSettings, redirectURI: String) {
        self.init(
            name: provider.name,
            displayName: provider.displayName,
            issuer: provider.issuer,
            place: provider.endpoints.map {
                .endpoints(authorization: $0.authorization, token: $0.token, userinfo: $0.userinfo)
            } ?? .issuer,
            clientID: provider.clientID,
            redirectURI: redirectURI,
            secret: provider.secret,
            authentication: provider.authMethod.flatMap(Authentication.init),
            scopes: provider.scopes,
            parameters: provider.parameters,
            claims: Claims(
                subject: provider.subject,
                attributes: provider.claims,
                trustsEmail: provider.trustsEmail
            )
        )
    }
}
