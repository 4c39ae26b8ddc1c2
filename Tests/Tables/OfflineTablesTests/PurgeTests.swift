import OfflineTables
import Tables
import TestSupport
import Testing

@Suite("§2.6: purge", .timeLimit(.minutes(1)))
struct PurgeTests {
    @Test("a purge removes the rows of a query locally, not on the server, and keeps the tokens")
    func purge() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                try await device.add("a")
                try await device.add("b")
                try await device.context.push()
                try await device.pull()
                #expect(try await device.table.purge(Query().where("text == 'a'")) == 1)
                #expect(try await device.texts() == ["b"])
                try await device.pull()
                #expect(try await device.texts() == ["b"])
            }
        }
    }

    @Test("a purge of a table with pending operations fails with -1180") func pending() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                try await device.add("a")
                let error = await #expect(throws: SyncError.self) { try await device.table.purge() }
                #expect(error?.code.rawValue == -1180)
                #expect(try await device.texts() == ["a"])
            }
        }
    }

    @Test("a forced purge removes operations, errors, tokens and rows") func force() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { device in
                try await device.add("kept")
                try await device.context.push()
                try await device.pull()
                try await device.table.insert(["text": "a", "priority": 7])
                _ = await device.push()
                #expect(try await device.table.forcePurge() == 2)
                #expect(try await device.context.pendingOperationsCount() == 0)
                #expect(try await device.context.errors().isEmpty)
                try await device.pull()
                #expect(try await device.texts() == ["kept"])
            }
        }
    }
}
