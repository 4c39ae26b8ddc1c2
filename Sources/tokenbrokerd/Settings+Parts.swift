import Authority
import Broker
import Foundation
import Glibc
import ProgramConfiguration
import Tokens

extension Settings {
    /// What the authority needs of the settings.
    var authority: AuthoritySettings {
        AuthoritySettings(
            base: configuration.issuerBase,
            tenant: configuration.tenant,
            apis: configuration.apis.values.map {
                ProtectedAPI(name: $0.name, audience: $0.audience, scopes: $0.scopes)
            },
            clients: configuration.clients.values.map(OAuthClient.init(configured:)),
            defaultPolicy: configuration.defaultPolicy
        )
    }

    /// What the broker needs of the settings.
    ///
    /// - Parameter isPersonal: Whether the daemon runs for one person, who then is its operator.
    /// - Returns: The part.
    func broker(isPersonal: Bool) -> BrokerSettings {
        BrokerSettings(
            version: Version.text,
            defaultPolicy: configuration.defaultPolicy,
            operatorUIDs: Set(configuration.operatorUIDs),
            operatorGIDs: Set(configuration.operatorGroups.compactMap(groupID)),
            daemonUID: geteuid(),
            isPersonal: isPersonal
        )
    }
}

/// The number of a group, by its name or as it is.
private func groupID(_ name: String) -> UInt32? {
    UInt32(name) ?? getgrnam(name).map { $0.pointee.gr_gid }
}

extension OAuthClient {
    fileprivate init(configured client: ClientSettings) {
        self.init(
            id: client.id,
            name: client.name,
            isConfidential: client.kind == .confidential,
            isFirstParty: client.isFirstParty,
            apis: client.apis,
            redirectURIs: client.redirectURIs,
            accessTokenAlgorithm: SigningAlgorithm(rawValue: client.accessTokenAlg) ?? .es256,
            idTokenAlgorithm: SigningAlgorithm(rawValue: client.idTokenAlg) ?? .es256
        )
    }
}

extension BrokerConfiguration {
    /// The first key whose change cannot be taken while the daemon runs.
    func restartNeeded(from old: BrokerConfiguration) -> String? {
        if tenant != old.tenant { return "tenant" }
        if issuerBase != old.issuerBase { return "issuerBase" }
        if server.listen != old.server.listen { return "listen" }
        if server.tls != old.server.tls { return "tls" }
        if server.behindProxy != old.server.behindProxy { return "behindProxy" }
        if server.metricsListen != old.server.metricsListen { return "metrics" }
        if mail != old.mail { return "mail" }
        if limits != old.limits { return "limits" }
        return nil
    }
}
