import DurableSQLite
import Foundation
import GRDB
import Moments
public import OAuth
public import Storage

/// A refresh token that another program keeps, and that its authority has rotated here.
public struct RotatedToken: Hashable, Sendable {
    /// The uid that takes it over.
    public let uid: UInt32
    /// The issuer of the authority.
    public let issuer: String
    /// The client id there.
    public let clientID: String
    /// The token that the other program has.
    public let token: Secret

    /// Names a token that the other program has.
    public init(uid: UInt32, issuer: String, clientID: String, token: Secret) {
        self.uid = uid
        self.issuer = issuer
        self.clientID = clientID
        self.token = token
    }
}

extension TokenCache {
    /// The successors of refresh tokens that other programs keep, until it is known whose they are, sealed like every row of the uid.
    ///
    /// Of the other program's token nothing is stored but what tells it from others.
    public struct RotatedTokens: Sendable {
        let core: CacheCore

        /// The greatest number of one uid; the oldest makes room.
        public static let perUID: Int64 = 16
        /// The time for which one is kept.
        public static let life: Duration = .seconds(30 * 86_400)
        static let token = SealedColumn("rotated_tokens", "token")

        /// The newest successor of a token; nil if there is none.
        public func successor(of before: RotatedToken) throws(StoreError) -> Secret? {
            let id = id(before)
            func opened(_ row: Row) throws -> Secret {
                Secret(bytes: try core.sealing(of: before.uid).open(Self.token, of: row))
            }
            return try core.rows(of: before.uid, opened) { db in
                try db.rows("SELECT id, token FROM rotated_tokens WHERE id = :id", ["id": id])
            }.first
        }

        /// Keeps the successor of a token, in place of the one before.
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

        /// Forgets the successor of a token.
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

    /// The successors of refresh tokens that other programs keep.
    public var rotatedTokens: RotatedTokens { RotatedTokens(core: core) }
}
