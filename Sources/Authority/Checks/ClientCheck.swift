import FlowModel

/// The client must be registered; a request that names none comes from the command line's client.
enum ClientCheck {
    static func client(_ id: String?, clients: [String: OAuthClient]) throws(Refusal) -> OAuthClient {
        let id = id ?? AuthoritySettings.defaultClient
        guard let client = clients[id] else {
            throw Refusal(.unknownClient, "there is no client \(id.prefix(64))")
        }
        return client
    }
}
