public import FlowModel

/// The client must be registered; a request that names none comes from the command line's client.
enum ClientCheck {
    static func client(_ id: String?, clients: [String: OAuthClient]) throws(Refusal) -> OAuthClient {
        let id = id ?? AuthoritySettings.defaultClient
        guard let client = clients[id] else { throw Refusal(unknownClient: id) }
        return client
    }
}

extension Refusal {
    /// The refusal of a client that is not registered.
    public init(unknownClient id: String) {
        self.init(.unknownClient, "there is no client \(id.prefix(64))")
    }
}
