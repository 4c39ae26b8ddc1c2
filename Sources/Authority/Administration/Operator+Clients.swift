import Authority
import AuthorityStore
import Crypto
public import FlowModel
import Foundation
import Moments
import OAuth
import Storage
import StoreRefusals

extension Operator {
    /// Returns all clients, both configured and registered, ordered by id.
    public func clients() async throws -> [ClientSummary] {
        try await authority.clients().map(\.summary).sorted { $0.client < $1.client }
    }

    /// Registers a client, and returns the client with its secret, or without a secret if the client is public.
    ///
    /// - Throws: `InvalidParameters` if the client violates a registration rule.
    public func add(_ client: NewClient) async throws -> AddedClient {
        try ClientRegistration.check(client, settings: authority.settings())
        let secret: Secret? =
            switch client.type {
            case .public, .browser: nil
            case .confidential: Secret.random()
            }
        let summary = ClientSummary(
            client: CorrelationID.random().description,
            name: client.displayName,
            type: client.type,
            redirectURIs: client.redirectURIs,
            scopes: client.scopes,
            audience: client.audience,
            signOut: client.signOut,
            signing: client.signing
        )
        let row = ClientRow(
            summary,
            secretHash: secret.map { Secret(bytes: SHA256.hash(data: $0.revealBytes())) },
            createdAt: administration.clock.now.wall
        )
        let event = AuditEvent(.clientAdded, by: caller, client: summary.client)
        try await Administration.rows.storing { try await store.clients.add(row, events: [event]) }
        changed()
        // Missing signing keys are created now, so that they exist when the client first requests a token.
        try await authority.keys.schedule()
        return AddedClient(client: summary, secret: secret)
    }

    /// Removes a registered client and revokes its grants.
    ///
    /// - Throws: `unknown_client` if the client does not exist, or `InvalidParameters` for a configured client.
    public func removeClient(_ id: String) async throws {
        guard authority.settings().clients[id] == nil else {
            throw InvalidParameters(Text("refusal.clientOfConfiguration"))
        }
        do {
            try await store.clients.remove(id, events: [AuditEvent(.clientRemoved, by: caller, client: id)])
        } catch  where error.code == .notFound {
            throw Refusal(.unknownClient, Text("refusal.noSuchClient", ["client": id.prefix(64)]))
        } catch {
            throw Administration.rows.refusal(error)
        }
        changed()
    }

    func changed() {
        authority.forget()
        administration.consequences.changed()
    }
}

extension Secret {
    fileprivate static func random() -> Secret {
        SymmetricKey(size: .bits256).withUnsafeBytes { Secret(Base64URL.encode(Data($0))) }
    }
}
