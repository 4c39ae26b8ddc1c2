public import FlowModel

/// Checks that the client is registered.
///
/// A request that does not specify a client uses the command-line client.
enum ClientCheck {
    static func client(_ id: String?, clients: [String: OAuthClient]) throws(Refusal) -> OAuthClient {
        let id = id ?? AuthoritySettings.defaultClient
        guard let client = clients[id] else { throw Refusal(unknownClient: id) }
        return client
    }
}

extension OAuthClient {
    /// Checks that a caller may use the client.
    ///
    /// A caller at the socket presents no client secret. Only the users and groups that the configuration allows can
    /// therefore use a confidential client there. A caller over HTTP authenticates as the client.
    ///
    /// - Throws: `unknown_client`.
    func checkUse(by caller: Caller) throws(Refusal) {
        guard let peer = caller.peer else { return }
        switch summary.type {
        case .public: return
        case .confidential:
            guard allowed.contains(peer) else { throw Refusal(closedClient: id) }
        }
    }
}

extension Authority {
    /// Checks that a caller may use a client.
    ///
    /// - Parameters:
    ///   - id: The client's id, or `nil` for the command-line client.
    ///   - caller: The caller.
    /// - Returns: Whether every caller may use the client. `true` if the client does not exist, because the called
    ///   method rejects it later.
    /// - Throws: `unknown_client` for a confidential client that the caller may not use.
    public func checkUse(of id: String?, by caller: Caller) async throws -> Bool {
        guard let client = try await client(id ?? AuthoritySettings.defaultClient) else { return true }
        try client.checkUse(by: caller)
        switch client.summary.type {
        case .public: return true
        case .confidential: return false
        }
    }
}

extension Refusal {
    /// Creates the refusal for a caller that the configuration does not allow to use a confidential client.
    init(closedClient id: String) {
        self.init(.unknownClient, Text("refusal.clientClosed", ["client": id.prefix(64)]))
    }

    /// Creates the refusal for a client id that is not registered.
    public init(unknownClient id: String) {
        self.init(.unknownClient, Text("refusal.noSuchClient", ["client": id.prefix(64)]))
    }
}
