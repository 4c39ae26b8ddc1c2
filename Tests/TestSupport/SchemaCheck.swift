import Crypto
public import DurableSQLite
import Foundation
import GRDB

extension Migration {
    /// The start of the SHA-256 digest of the step's SQL, in hexadecimal.
    ///
    /// Tests recognize the step by this value.
    public var fingerprint: String {
        SHA256.hash(data: Data(sql.utf8)).prefix(8).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
    }
}

extension DurableDatabase {
    /// Returns the names of the tables that are not `STRICT`.
    ///
    /// The columns of such tables accept values of any type.
    public func lenientTables() throws -> [String] {
        try readInline { db in
            let sql =
                """
                /* test */ SELECT name FROM pragma_table_list
                WHERE type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite%'
                """
            return try String.fetchAll(db, sql: sql)
        }
    }
}
