import Authority
import FlowModel
import OAuth

extension ClientAnswer {
    init(_ client: OAuthClient, audience: String?, secret: Secret?) {
        self.init(
            id: client.id,
            name: client.name,
            type: client.isConfidential ? "confidential" : "public",
            redirectURIs: client.redirectURIs,
            scopes: client.scopes,
            audience: audience,
            isConfigured: client.isConfigured,
            secret: secret
        )
    }
}

extension UserAnswer {
    init(
        _ person: Authority.Person,
        attributes: [String: JSONValue] = [:],
        sessions: Int = 0,
        families: Int = 0
    ) {
        self.init(
            id: person.summary.id.oid,
            signInNames: person.signInNames,
            displayName: person.summary.displayName,
            isEnabled: person.isEnabled,
            createdAt: person.createdAt,
            attributes: attributes,
            sessions: sessions,
            families: families,
            groups: person.groups
        )
    }
}

extension KeyAnswer {
    init(_ key: Authority.Key) {
        self.init(
            kid: key.kid,
            alg: key.algorithm,
            state: key.use,
            publishedAt: key.publishedAt,
            activeFrom: key.activeFrom,
            retiredAt: key.retiredAt,
            removeAt: key.removeAt
        )
    }
}
