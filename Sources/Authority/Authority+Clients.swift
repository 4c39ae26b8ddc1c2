import AuthorityStore
import Crypto
public import FlowModel
import Foundation
import Moments
import OAuth
import Storage

extension Authority {
    /// All clients by id, configured ones included.
    public func clients() async throws -> [ClientSummary] {
        try await Self.storing {
            try await memory.compared().clients.values.map(\.summary).sorted { $0.client < $1.client }
        }
    }

    /// Registers a client.
    ///
    /// - Returns: The client, and its secret if it keeps one.
    /// - Throws: `invalid_request`, `invalid_redirect_uri`, `invalid_scope` where something cannot be registered.
    public func addClient(_ client: NewClient, _ caller: Caller) async throws -> AddedClient {
        try ClientRegistration.check(client, settings: settings())
        let secret: Secret? =
            switch client.type {
            case .public: nil
            case .confidential: Secret(Base64URL.encode(RefreshToken.random(32)))
            }
        let summary = ClientSummary(
            client: CorrelationID.random().description,
            name: client.displayName,
            type: client.type,
            redirectURIs: client.redirectURIs,
            scopes: client.scopes,
            audience: client.audience
        )
        let row = ClientRow(
            summary,
            secretHash: secret.map { Secret(bytes: SHA256.hash(data: $0.revealBytes())) },
            createdAt: clock.now.wall
        )
        try await Self.storing {
            try await store.clients.add(row, events: [event("client.added", caller, client: summary.client)])
        }
        memory.forget()
        return AddedClient(client: summary, secret: secret)
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
