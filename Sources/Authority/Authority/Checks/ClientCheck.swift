public import FlowModel

/// Checks that the requested client, or otherwise the command-line client, is registered.
enum ClientCheck {
    static func client(_ id: String?, clients: [String: OAuthClient]) throws(Refusal) -> OAuthClient {
        let id = id ?? AuthoritySettings.defaultClient
        guard let client = clients[id] else { throw Refusal(unknownClient: id) }
        return client
    }
}

extension OAuthClient {
    /// Throws `unknown_client` if a caller on the socket, who sends no secret, may not use the confidential client.
    ///
    /// The configuration lists the allowed users and groups. A caller over HTTP authenticates as the client instead.
    func checkUse(by caller: Caller) throws(Refusal) {
        guard let peer = caller.peer else { return }
        switch summary.type {
        case .public, .browser: return
        case .confidential:
            guard allowed.contains(peer) else { throw Refusal(closedClient: id) }
        }
    }
}

extension Authority {
    /// Checks that the caller may use a client, and returns whether every other caller may use the client too.
    ///
    /// If `id` is `nil`, the client is the command-line client. The result is `true` for an unknown client.
    ///
    /// - Throws: `unknown_client` for a confidential client that the caller may not use.
    public func checkUse(of id: String?, by caller: Caller) async throws -> Bool {
        guard let client = try await client(id ?? AuthoritySettings.defaultClient) else { return true }
        try client.checkUse(by: caller)
        switch client.summary.type {
        case .public, .browser: return true
        case .confidential: return false
        }
    }
}

extension Refusal {
    init(closedClient id: String) {
        self.init(.unknownClient, Text("refusal.clientClosed", ["client": id.prefix(64)]))
    }

    /// Creates the refusal for a client id that is not registered.
    public init(unknownClient id: String) {
        self.init(.unknownClient, Text("refusal.noSuchClient", ["client": id.prefix(64)]))
    }
}
