import GRDB
import TestSupport
import Testing

@testable import DurableSQLite

@Suite(.timeLimit(.minutes(1)))
struct SchemaTests {
    @Test("the common first part of every store was not edited") func appendOnly() {
        #expect(Migration("foundation", sql: Schema.foundation).fingerprint == "9d0ade64cb0ccd58")
    }

    @Test("the first step has the number 21, and each further step the next number") func numbers() throws {
        let notes = try Notes()
        let more = [
            Migration("more", sql: "CREATE TABLE more (id TEXT PRIMARY KEY NOT NULL) STRICT"), KilledDatabase.counter,
        ]
        for count in 0...2 {
            let database = try notes.open([Notes.migration] + more.prefix(count))
            let version = try database.pool.read { db in try Schema.version(db) }
            #expect(version == 21 + count)
            try database.close()
        }
    }
}
