import DurableSQLite
import FlowModel
import Foundation
import GRDB
import Moments
import OAuth
public import Storage

extension AuthorityStore {
    /// The table of registered clients.
    public struct Clients: Sendable {
        let core: Core

        /// The maximum number of registered clients.
        public static let greatestNumber = 10_000

        /// Registers a client.
        ///
        /// - Throws: `conflict` if the id is in use, `limitExceeded` if too many clients exist, or another store error.
        public func add(_ row: ClientRow, events: [AuditEvent] = []) async throws(StoreError) {
            let now = core.clock.now
            let client = row.client
            try await core.database.write { db in
                guard try db.number("SELECT count(*) FROM clients") < Self.greatestNumber else {
                    throw StoreError(.limitExceeded, "\(Self.greatestNumber) clients are registered")
                }
                let secret = try row.secretHash.map {
                    try core.sealing.seal($0.revealBytes(), Self.secret, row: client.client)
                }
                let made = try db.insert(
                    into: "clients",
                    [
                        "id": client.client, "name": client.name, "type": client.type.rawValue, "secret_hash": secret,
                        "redirect_uris": Texts.encode(client.redirectURIs),
                        "scopes": Texts.encode(client.scopes), "audience": client.audience,
                        "created_at": row.createdAt,
                        "post_logout_uris": Texts.encode(client.signOut.postLogoutRedirectURIs),
                        "backchannel_logout_uri": client.signOut.backchannelLogoutURI,
                        "id_token_alg": client.signing.idToken.rawValue,
                        "access_token_alg": client.signing.accessToken.rawValue,
                    ],
                    onConflict: "(id) DO NOTHING"
                )
                guard made > 0 else { throw StoreError(.conflict, "client \(client.client) is registered") }
                try Epoch.raise(db)
                try Audit.append(db, events, at: now)
            }
        }

        /// Returns all clients, sorted by id.
        public func list() async throws(StoreError) -> [ClientRow] {
            try await core.database.read { db in
                try db.rows(
                    "SELECT * FROM clients ORDER BY id LIMIT :limit",
                    ["limit": Self.greatestNumber]
                ).map(row)
            }
        }

        /// Deletes a client and its consents, and revokes its token families, or throws `notFound` if there is none.
        public func remove(_ id: String, events: [AuditEvent] = []) async throws(StoreError) {
            try await core.database.write { db, now in
                guard try db.run("DELETE FROM clients WHERE id = :id", ["id": id]) > 0 else {
                    throw StoreError(.notFound, "there is no such client")
                }
                try Families.revoke(db, where: "client = :id", ["id": id], reason: "client_removed", at: now)
                try db.run("DELETE FROM consents WHERE client = :id", ["id": id])
                try Epoch.raise(db)
                try Audit.append(db, events, at: now)
            }
        }

        static let secret = SealedColumn("clients", "secret_hash")

        private func algorithm(_ row: Row, _ column: String, _ id: String) throws -> TokenSigning.Algorithm {
            guard let algorithm = TokenSigning.Algorithm(rawValue: try row.get(column)) else {
                throw StoreError(.corrupt, "client \(id) has an unknown algorithm")
            }
            return algorithm
        }

        @Sendable private func row(_ row: Row) throws -> ClientRow {
            let id: String = try row.get("id")
            guard let type = ClientType(rawValue: try row.get("type")) else {
                throw StoreError(.corrupt, "client \(id) is of an unknown type")
            }
            return ClientRow(
                ClientSummary(
                    client: id,
                    name: try row.get("name"),
                    type: type,
                    redirectURIs: try Texts.decode([String].self, try row.get("redirect_uris")),
                    scopes: try Texts.decode([String].self, try row.get("scopes")),
                    audience: try row.optional("audience"),
                    signOut: SignOutAddresses(
                        postLogoutRedirectURIs: try Texts.decode([String].self, try row.get("post_logout_uris")),
                        backchannelLogoutURI: try row.optional("backchannel_logout_uri")
                    ),
                    signing: TokenSigning(
                        idToken: try algorithm(row, "id_token_alg", id),
                        accessToken: try algorithm(row, "access_token_alg", id)
                    )
                ),
                secretHash: try core.sealing.openIfThere(Self.secret, of: row).map { Secret(bytes: $0) },
                createdAt: try row.get("created_at")
            )
        }
    }
}
