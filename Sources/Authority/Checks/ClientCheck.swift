import FlowModel

/// The client is registered; without a name it is the command line.
enum ClientCheck {
    static func client(_ id: String?, clients: [String: OAuthClient]) throws(Refusal) -> OAuthClient {
        let id = id ?? AuthoritySettings.defaultClient
        guard let client = clients[id] else {
            throw Refusal(.unknownClient, "no client is registered under this id")
        }
        return client
    }
}
