import DurableSQLite
import Foundation
import GRDB
public import OAuth
public import Storage

extension TokenCache {
    /// The keys that programs keep for stores of their own.
    public struct StoreKeys: Sendable {
        let core: CacheCore

        /// The greatest number of keys that a uid's programs keep for their own stores.
        public static let most: Int64 = 256
        static let secret = SealedColumn("store_keys", "secret")

        /// A random key for a program's own store, made at the first call and the same ever after.
        ///
        /// It is sealed as every row of its uid is, so that a lock locks it; it goes with its account.
        ///
        /// - Parameters:
        ///   - uid: The uid.
        ///   - account: The account whose data the store keeps.
        ///   - client: The program.
        ///   - purpose: Tells the stores of one program apart.
        /// - Returns: 32 bytes; nil if the uid has no such account.
        /// - Throws: `locked`, or `limitExceeded` for one key too many.
        public func key(
            uid: UInt32,
            account: String,
            client: String,
            purpose: String
        ) async throws(StoreError) -> Secret? {
            try await core.setDamagedAside()
            let id = CacheCore.rowID([account, client, purpose])
            return try await core.database.write { db in
                guard try Accounts(core: core).get(db, uid: uid, id: account) != nil else { return nil }
                let row = try db.row(
                    "SELECT id, secret FROM store_keys WHERE id = :id AND uid = :uid",
                    ["id": id, "uid": uid]
                )
                if let row { return Secret(bytes: try core.sealing(of: uid).open(Self.secret, of: row)) }
                guard try db.number("SELECT count(*) FROM store_keys WHERE uid = :uid", ["uid": uid]) < Self.most
                else { throw StoreError(.limitExceeded, "this uid has \(Self.most) keys of stores") }
                let key = Data(CacheCore.random(32))
                let secret = try core.sealing(of: uid).seal(key, Self.secret, row: id)
                try db.insert(into: "store_keys", ["id": id, "uid": uid, "account": account, "secret": secret])
                return Secret(bytes: key)
            }
        }
    }
}
