public import FlowModel

/// The client must be registered; a request that names none comes from the command line's client.
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
    /// A caller at the socket proves no secret, so a confidential client is open only to the users and groups that its
    /// configuration allows. A caller over HTTP authenticates as the client.
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
    ///   - id: The client that the caller names; the command line's client if `nil`.
    ///   - caller: The caller.
    /// - Returns: Whether every caller may use the client. A client that does not exist is open: the method that needs it
    ///   rejects it.
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
    /// The refusal of a confidential client to a caller at the socket that its configuration does not allow.
    init(closedClient id: String) {
        self.init(.unknownClient, Text("refusal.clientClosed", ["client": id.prefix(64)]))
    }

    /// The refusal of a client that is not registered.
    public init(unknownClient id: String) {
        self.init(.unknownClient, Text("refusal.noSuchClient", ["client": id.prefix(64)]))
    }
}
