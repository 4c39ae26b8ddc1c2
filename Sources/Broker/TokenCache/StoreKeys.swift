import DurableSQLite
import Foundation
import GRDB
public import OAuth
public import Storage

extension TokenCache {
    /// The keys that programs use to encrypt their own stores.
    public struct StoreKeys: Sendable {
        let core: CacheCore

        /// The maximum number of keys per uid.
        public static let most: Int64 = 256
        static let secret = SealedColumn("store_keys", "secret")

        /// Returns the 32-byte key for encrypting a program's own store, or `nil` if the uid has no such account.
        ///
        /// The first call for a `purpose` of the program creates the key, which is deleted together with the account.
        ///
        /// - Throws: `locked` if the uid is locked, or `limitExceeded` if the uid already has ``most`` keys.
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
                else { throw StoreError(.limitExceeded, "this uid already has \(Self.most) store keys") }
                let key = Data(CacheCore.random(32))
                let secret = try core.sealing(of: uid).seal(key, Self.secret, row: id)
                try db.insert(into: "store_keys", ["id": id, "uid": uid, "account": account, "secret": secret])
                return Secret(bytes: key)
            }
        }
    }
}
