import Administration
import Authority
import Broker
import FlowModel
import Flows
import Foundation
import Glibc
import OAuth
import ProgramConfiguration
import Tokens

extension Settings {
    /// Returns the authority's settings, where `groups` contains the gids of the configured groups by name.
    static func authority(_ configuration: BrokerConfiguration, groups: [String: UInt32]) -> AuthoritySettings {
        AuthoritySettings(
            base: configuration.issuerBase,
            tenant: configuration.tenant,
            apis: configuration.apis.values.map {
                ProtectedAPI(
                    name: $0.name,
                    audience: $0.audience,
                    resources: $0.resources,
                    scopes: $0.scopes,
                    defaultScopes: $0.defaultScopes
                )
            },
            clients: configuration.clients.values.map { OAuthClient(configured: $0, groups: groups) },
            defaultPolicy: configuration.defaultPolicy,
            refreshGrace: configuration.refreshGrace
        )
    }

    /// Returns the broker's settings, where `file` is the configuration's path, or `nil` for the built-in defaults.
    static func broker(
        _ configuration: BrokerConfiguration,
        file: String?,
        stateDirectory: String
    ) -> BrokerSettings {
        BrokerSettings(
            version: Version.text,
            issuer: configuration.issuerBase,
            configuration: file,
            stateDirectory: stateDirectory,
            defaultPolicy: configuration.defaultPolicy,
            isSignUpClosed: configuration.signUp == .closed,
            limits: [
                "flowsPerUid": Int64(configuration.limits.flowsPerUid), "flows": Int64(configuration.limits.flows),
                "answerFields": Int64(FlowLimits.answerFields), "answerBytes": Int64(FlowLimits.answerBytes),
                "waitMs": FlowLimits.longestWait.components.seconds * 1000,
            ],
            apis: configuration.apis.values.sorted { $0.name < $1.name }.map { api in
                APISummary(
                    api: api.name,
                    origins: api.origins.map(\.description),
                    scopes: api.scopes.keys.sorted()
                )
            },
            authorities: authorities(configuration),
            outsideRedirectURI: configuration.outsideRedirectURI,
            trustedLoopback: configuration.outgoing.trustedLoopback
        )
    }

    /// Returns the administration settings, with `isPersonal` set if the daemon serves only the user that it runs as.
    static func administration(
        _ configuration: BrokerConfiguration,
        groups: [String: UInt32],
        isPersonal: Bool
    ) -> AdministrationSettings {
        AdministrationSettings(
            operatorUIDs: Set(configuration.operatorUIDs),
            operatorGIDs: Set(configuration.operatorGroups.compactMap { groups[$0] }),
            daemonUID: geteuid(),
            isPersonal: isPersonal,
            isSignUpClosed: configuration.signUp == .closed
        )
    }
}

extension OAuthClient {
    fileprivate init(configured client: ClientSettings, groups: [String: UInt32]) {
        self.init(
            ClientSummary(
                client: client.id,
                name: client.name,
                type: client.kind,
                redirectURIs: client.redirectURIs,
                signOut: SignOutAddresses(
                    postLogoutRedirectURIs: client.postLogoutRedirectURIs,
                    backchannelLogoutURI: client.backchannelLogoutURI
                ),
                signing: client.signing,
                configured: true
            ),
            isFirstParty: client.isFirstParty,
            apis: client.apis,
            grants: client.grants,
            methods: client.authMethods,
            secretHash: client.proof.secretHash,
            keys: client.proof.keys,
            allowed: AllowedPeers(
                uids: Set(client.allowedUIDs),
                gids: Set(client.allowedGroups.compactMap { groups[$0] })
            )
        )
    }
}

extension BrokerConfiguration {
    /// Returns the first changed configuration key that requires a restart, or `nil` if a reload can apply all changes.
    func restartNeeded(from old: BrokerConfiguration) -> String? {
        if tenant != old.tenant { return "tenant" }
        if issuerBase != old.issuerBase { return "issuerBase" }
        if server.listen != old.server.listen { return "listen" }
        if server.tls != old.server.tls { return "tls" }
        if server.behindProxy != old.server.behindProxy { return "behindProxy" }
        if forwardedHeader != old.forwardedHeader { return "forwardedHeader" }
        if proxies != old.proxies { return "proxies" }
        if server.metricsListen != old.server.metricsListen { return "metrics" }
        if mail != old.mail { return "mail" }
        if outgoing != old.outgoing { return "outgoing" }
        if limits != old.limits { return "limits" }
        return nil
    }
}
