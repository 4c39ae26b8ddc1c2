import Foundation
import OfflineTables
import Synchronization
import Tables
import Testing

@testable import TablesClient

@Suite(.timeLimit(.minutes(1)))
struct HandlerThreadTests {
    @Test("handlers, which may block, run on a different thread than the connections")
    func threads() async throws {
        // No server listens at this address, and the test sends no request.
        let client = TablesClient(try APIAddress("http://127.0.0.1:1"))
        let seen = Mutex<[UInt]>([])
        var options = SyncContext.Options()
        options.operation = { operation, _ in
            seen.withLock { $0.append(currentThread()) }
            var conflict = TablesError(.conflict, programmer: "it is there")
            conflict.status = 409
            conflict.row = RemoteRow(id: operation.itemID, values: ["text": "theirs"])
            throw conflict
        }
        options.conflicts = ConflictHandler { _ in
            seen.withLock { $0.append(currentThread()) }
            return .theirs
        }
        let context = SyncContext(MemorySyncStore(), tables: [try .todoitem], client: client, options: options)
        let table = try context.table("todoitem")
        let id = try await table.insert(["text": "mine"]).id
        try await context.push()
        #expect(try await table.read(id: id)?["text"] == "theirs")
        let near = try await client.nearConnections { currentThread() }
        #expect(seen.withLock { $0 }.count == 2)
        #expect(!seen.withLock { $0 }.contains(near))
        try await client.close()
    }
}

private func currentThread() -> UInt { UInt(pthread_self()) }
