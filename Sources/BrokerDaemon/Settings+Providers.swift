import Broker
import OpenIDClient
import ProgramConfiguration

extension Settings {
    /// The providers outside, as their client calls them.
    static func providers(_ configuration: BrokerConfiguration) -> [String: ProviderRegistration] {
        configuration.identityProviders.mapValues {
            ProviderRegistration($0, redirectURI: configuration.outsideRedirectURI)
        }
    }

    /// The outside authorities, as their client calls them.
    static func authorities(_ configuration: BrokerConfiguration) -> [String: OutsideAuthority] {
        configuration.authorities.mapValues { authority in
            OutsideAuthority(
                registration: ProviderRegistration(
                    name: authority.name,
                    displayName: authority.displayName,
                    issuer: authority.issuer,
                    clientID: authority.clientID,
                    redirectURI: configuration.outsideRedirectURI,
                    secret: authority.secret,
                    authentication: authority.authMethod.flatMap(ProviderRegistration.Authentication.init),
                    scopes: authority.scopes,
                    parameters: authority.parameters
                ),
                scopes: authority.scopes,
                additionalScopes: authority.additionalScopes,
                origins: authority.origins.map(\.description)
            )
        }
    }
}

extension BrokerConfiguration {
    /// The address that providers and outside authorities send people back to.
    ///
    /// They compare it with what was registered, so it is in lower case like all addresses of ours.
    var outsideRedirectURI: String { "\(issuerBase)/\(tenant.lowercased())/oauth2/authresp" }
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
            ),
            confirmation: TokenConfirmation(provider)
        )
    }
}

extension TokenConfirmation {
    fileprivate init(_ provider: ProviderSettings) {
        self =
            switch provider.confirmation {
            case .googleTokenInfo(let url): .googleTokenInfo(url)
            case .facebookDebugToken(let url): .facebookDebugToken(url)
            case .githubApplications(let url): .githubApplications(url)
            case nil: provider.endpoints == nil ? .introspection : .none
            }
    }
}
