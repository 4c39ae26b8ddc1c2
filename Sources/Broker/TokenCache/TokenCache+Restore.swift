import DurableSQLite
import Foundation
import GRDB
public import Storage

extension TokenCache {
    /// Deletes accounts, tokens and sign-outs from the cache `file`, because a restore ends the sessions.
    ///
    /// The cache must not be open in any daemon. The cache key is not needed. Store keys are kept, because programs'
    /// stores can contain edits that have not been uploaded yet. The vaults of uids that have store keys or have added
    /// authorities are also kept.
    ///
    /// - Returns: `false` if the file is not an intact cache of this version or cannot be changed, in which case the
    ///   caller must delete it.
    public static func endSessions(_ file: String, in directory: StateDirectory) -> Bool {
        let path = directory.path(file)
        guard FileManager.default.fileExists(atPath: path), !DurableDatabase.hasDamagedLog(path) else { return false }
        var configuration = Configuration()
        // All affected tables are emptied explicitly, so cascading deletes are not needed.
        configuration.foreignKeysEnabled = false
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA secure_delete = ON; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF")
                guard try String.fetchOne(db, sql: "PRAGMA quick_check(1)") == "ok",
                    try DurableDatabase.isCurrent(db, CacheSchema.steps)
                else { throw StoreError(.corrupt, "\(path) is not an intact cache of this version") }
                try db.inTransaction(.immediate) {
                    try db.execute(sql: emptying)
                    return .commit
                }
                _ = try db.checkpoint(.truncate)
            }
            try directory.synchronize(file: file)
            return true
        } catch {
            return false
        }
    }

    // The trigger is dropped first, so that deleting accounts does not delete the store keys.
    private static let emptying = """
        DROP TRIGGER accounts_store_keys;
        DELETE FROM tokens;
        DELETE FROM refresh_tokens;
        DELETE FROM rotated_tokens;
        DELETE FROM accounts;
        DELETE FROM pending_sign_outs;
        DELETE FROM sign_outs;
        DELETE FROM damaged;
        DELETE FROM vaults WHERE uid NOT IN (SELECT uid FROM store_keys)
            AND uid NOT IN (SELECT uid FROM own_authorities);
        CREATE TRIGGER accounts_store_keys AFTER DELETE ON accounts BEGIN
            DELETE FROM store_keys WHERE account = OLD.id;
        END;
        """
}
