import DurableSQLite
import Foundation
import GRDB
public import Storage

extension TokenCache {
    /// Empties a cache of everything that means nothing without the sessions that a restore ends, while no daemon has it.
    ///
    /// The keys of programs' stores stay, for edits that wait in them, and the vaults that seal such keys: who signs in
    /// again finds both. Values are neither opened nor sealed, so no key is needed.
    ///
    /// - Parameters:
    ///   - file: The database.
    ///   - directory: The state directory.
    /// - Returns: False if it is no sound cache of this very version, so that it has to be removed instead.
    public static func endSessions(_ file: String, in directory: StateDirectory) -> Bool {
        let path = directory.path(file)
        guard FileManager.default.fileExists(atPath: path), !DurableDatabase.hasDamagedLog(path) else { return false }
        var configuration = Configuration()
        // Accounts go, and the keys of their stores stay.
        configuration.foreignKeysEnabled = false
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA secure_delete = ON; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF")
                guard try String.fetchOne(db, sql: "PRAGMA quick_check(1)") == "ok",
                    try DurableDatabase.isCurrent(db, CacheSchema.steps)
                else { throw StoreError(.corrupt, "\(path) is no sound cache of this version") }
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
