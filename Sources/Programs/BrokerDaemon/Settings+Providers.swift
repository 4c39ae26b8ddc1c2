import Broker
import OAuth
import OpenIDClient
import ProgramConfiguration
import Tokens

extension Settings {
    static func providers(_ configuration: BrokerConfiguration) -> [String: ProviderRegistration] {
        configuration.identityProviders.mapValues {
            ProviderRegistration($0, redirectURI: configuration.outsideRedirectURI)
        }
    }

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
                    key: authority.key.map { ClientKey($0.signingKey, audience: $0.audience) },
                    authentication: authority.authMethod,
                    scopes: authority.scopes,
                    parameters: authority.parameters
                ),
                scopes: authority.scopes,
                additionalScopes: authority.additionalScopes,
                origins: authority.origins.map(\.description),
                policyIn: authority.policyIn,
                grant: OutsideAuthority.Grant(authority),
                uids: authority.uids,
                resource: OutsideAuthority.Resource(
                    usual: authority.resource,
                    as: authority.resourceAs
                ),
                loopbackURIs: authority.loopbackURIs,
                returnsHere: authority.returnsHere
            )
        }
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
            authentication: provider.authMethod,
            scopes: provider.scopes,
            parameters: provider.parameters,
            claims: Claims(
                subject: provider.subject,
                attributes: provider.claims,
                trustsEmail: provider.trustsEmail
            ),
            confirmation: TokenConfirmation(provider),
            reauthentication: provider.askingAgain.map(Reauthentication.parameters)
        )
    }
}

extension OutsideAuthority.Grant {
    fileprivate init(_ authority: OutsideAuthoritySettings) {
        self =
            switch authority.grant {
            case .authorizationCode: .authorizationCode
            case .clientCredentials: .clientCredentials
            case .tokenExchange:
                .tokenExchange(.init(scopes: authority.subjectScopes, issuer: authority.subjectIssuer))
            }
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
