import DurableSQLite
import Foundation
import GRDB
import Moments
public import OAuth
public import Storage

/// A refresh token that is imported from another program, and that the authority can replace during the import.
public struct RotatedToken: Hashable, Sendable {
    /// The uid for which the token is imported.
    public let uid: UInt32
    /// The issuer URL of the authority that issued the token.
    public let issuer: String
    /// The `client_id` of the client that the token was issued to.
    public let clientID: String
    /// The refresh token that the other program still stores.
    public let token: Secret

    /// Creates a description of another program's refresh token.
    public init(uid: UInt32, issuer: String, clientID: String, token: Secret) {
        self.uid = uid
        self.issuer = issuer
        self.clientID = clientID
        self.token = token
    }
}

extension TokenCache {
    /// The refresh tokens that replaced refresh tokens imported from other programs.
    ///
    /// A replacement is stored until the import succeeds, so that a failed import can be repeated. The imported tokens
    /// themselves are stored only as hashes.
    public struct RotatedTokens: Sendable {
        let core: CacheCore

        /// The maximum number of replacements per uid, beyond which the oldest replacements are removed.
        public static let perUID: Int64 = 16
        /// The maximum time for which a replacement is stored.
        public static let life: Duration = .seconds(30 * 86_400)
        static let token = SealedColumn("rotated_tokens", "token")

        /// Returns the newest replacement for the refresh token in `before`, or `nil` if there is none.
        public func successor(of before: RotatedToken) throws(StoreError) -> Secret? {
            let id = id(before)
            func opened(_ row: Row) throws -> Secret {
                Secret(bytes: try core.sealing(of: before.uid).open(Self.token, of: row))
            }
            return try core.rows(of: before.uid, opened) { db in
                try db.rows("SELECT id, token FROM rotated_tokens WHERE id = :id", ["id": id])
            }.first
        }

        /// Stores `successor` as the only replacement for the refresh token in `before`.
        public func keep(_ successor: Secret, of before: RotatedToken) async throws(StoreError) {
            try await core.setDamagedAside()
            let expires = core.clock.now.wall + Self.life.milliseconds
            let id = id(before)
            let uid = before.uid
            try await core.database.write { db in
                let sealed = try core.sealing(of: uid).seal(successor.revealBytes(), Self.token, row: id)
                try db.insert(
                    into: "rotated_tokens",
                    ["id": id, "uid": uid, "token": sealed, "expires_wall": expires],
                    onConflict: "(id) DO UPDATE SET token = excluded.token, expires_wall = excluded.expires_wall"
                )
                try db.run(
                    """
                    DELETE FROM rotated_tokens WHERE uid = :uid AND id NOT IN (
                        SELECT id FROM rotated_tokens WHERE uid = :uid ORDER BY expires_wall DESC LIMIT \(Self.perUID)
                    )
                    """,
                    ["uid": uid]
                )
            }
        }

        /// Deletes the replacement for the refresh token in `before`.
        public func remove(_ before: RotatedToken) async throws(StoreError) {
            let id = id(before)
            try await core.database.write { db in
                try db.run("DELETE FROM rotated_tokens WHERE id = :id", ["id": id])
            }
        }

        private func id(_ before: RotatedToken) -> String {
            core.opaque(
                ["rotated", "\(before.uid)", before.issuer, before.clientID, before.token.reveal()]
                    .joined(separator: "\u{1F}")
            )
        }
    }

    /// The refresh tokens that replaced imported refresh tokens of other programs.
    public var rotatedTokens: RotatedTokens { RotatedTokens(core: core) }
}
