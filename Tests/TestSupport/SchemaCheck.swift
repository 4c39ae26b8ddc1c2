import Crypto
public import DurableSQLite
import Foundation
import GRDB

extension Migration {
    /// The first hexadecimal digits of the SHA-256 of the statements, by which a test recognises the step.
    public var fingerprint: String {
        SHA256.hash(data: Data(sql.utf8)).prefix(8).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
    }
}

extension DurableDatabase {
    /// Tables that are not `STRICT`, so that their columns accept any type.
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
