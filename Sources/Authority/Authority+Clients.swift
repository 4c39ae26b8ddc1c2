import AuthorityStore
import Crypto
public import FlowModel
import Foundation
import Moments
public import OAuth
import Storage

extension Authority {
    /// A client that is to be registered.
    public struct NewClient: Hashable, Sendable {
        /// What people call it.
        public var name: String
        /// Whether it keeps a secret.
        public var isConfidential: Bool
        /// Where answers may go.
        public var redirectURIs: [String]
        /// What it may ask for, as `<api>/<scope>`; empty means all of its APIs.
        public var scopes: [String]
        /// The audience of the only API it may ask for.
        public var audience: String?

        /// A public client without anything else.
        public init(name: String) {
            self.name = name
            isConfidential = false
            redirectURIs = []
            scopes = []
        }
    }

    /// All clients by id, configured ones included.
    public func clients() async throws -> [OAuthClient] {
        try await Self.storing { try await memory.compared().clients.values.sorted { $0.id < $1.id } }
    }

    /// Registers a client.
    ///
    /// - Returns: The client, and its secret if it keeps one; only its hash is stored.
    /// - Throws: `invalid_request`, `invalid_redirect_uri`, `invalid_scope` where something cannot be registered.
    public func addClient(_ client: NewClient, _ caller: Caller) async throws -> (client: OAuthClient, secret: Secret?)
    {
        let settings = settings()
        try ClientRegistration.check(client, settings: settings)
        let secret = client.isConfidential ? Secret(Base64URL.encode(RefreshToken.random(32))) : nil
        let row = ClientRow(
            id: CorrelationID.random().description,
            name: client.name,
            type: client.isConfidential ? .confidential : .public,
            secretHash: secret.map { Secret(bytes: SHA256.hash(data: $0.revealBytes())) },
            redirectURIs: client.redirectURIs,
            scopes: client.scopes,
            audience: client.audience,
            createdAt: clock.now.wall
        )
        try await Self.storing {
            try await store.clients.add(row, events: [event("client.added", caller, client: row.id)])
        }
        memory.forget()
        return (OAuthClient(row, settings: settings), secret)
    }

    /// Removes a registered client; what it was granted is revoked.
    ///
    /// - Throws: `unknown_client`, or `invalid_request` for one that the configuration names.
    public func removeClient(_ id: String, _ caller: Caller) async throws {
        guard settings().clients[id] == nil else {
            throw OAuthError.invalidRequest("this client stands in the configuration; remove it there")
        }
        do {
            try await store.clients.remove(id, events: [event("client.removed", caller, client: id)])
        } catch  where error.code == .notFound {
            throw Refusal(.unknownClient, "no client is registered under this id")
        } catch {
            throw Refusal(error)
        }
        memory.forget()
    }

    func event(
        _ name: String,
        _ caller: Caller,
        user: UserID? = nil,
        client: String? = nil,
        detail: [String: String] = [:]
    ) -> AuditEvent {
        AuditEvent(
            name,
            owner: caller.owner,
            user: user,
            client: client,
            correlationID: caller.correlationID,
            pid: caller.pid,
            detail: detail
        )
    }
}
