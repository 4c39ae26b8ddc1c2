import Foundation
import OfflineTables
import Synchronization
import Tables
import TablesClient
import TestSupport
import Testing

/// Two clients and a server live through random edits, lost requests, lost answers, restarts and conflicts.
///
/// The invariant: every acknowledged edit is in the final state, in a conflict record, or superseded by a later one of the
/// same column; and both clients and the server are equal at the end.
@Suite("Whatever happens, both clients and the server are equal in the end", .timeLimit(.minutes(5)))
struct ConvergenceTests {
    /// One column of one row that was set, or a deletion.
    private struct Edit: Hashable {
        let row: RowID
        let column: String
        let value: TableValue
    }

    /// The events of every column so far.
    private struct Journal {
        var edits: [Edit] = []
        var deleted: Set<RowID> = []
        /// Values that a conflict record showed beside another one.
        var recorded: [Edit] = []

        /// True if `edit` may not be what the column holds: a later edit of the column, or a deletion, or a record.
        func isAccountedFor(_ edit: Edit, at index: Int) -> Bool {
            deleted.contains(edit.row)
                || edits[(index + 1)...].contains { $0.row == edit.row && $0.column == edit.column }
                || recorded.contains { $0.row == edit.row && $0.column == edit.column && $0.value == edit.value }
        }
    }

    @Test("with random edits, losses, restarts and conflicts", arguments: 1...24)
    func converge(_ seed: UInt64) async throws {
        try await TestServer.run { server in
            let random = Mutex(SeededGenerator(seed: seed))
            @Sendable func below(_ limit: Int) -> Int { random.withLock { $0.below(limit) } }
            server.fault { _ in
                switch below(10) {
                case 0: .requestLost
                case 1: .answerLost
                case 2: .twice
                default: .none
                }
            }
            let folders = [try StoreFolder(), try StoreFolder()]
            let stores = Mutex([try folders[0].open(), try folders[1].open()])
            var journal = Journal()
            for step in 0..<60 {
                let number = below(2)
                try await withDevice(server, stores.withLock { $0[number] }) { device in
                    switch below(8) {
                    case 0...2: try await edit(device, step, below, &journal)
                    case 3: try await delete(device, below, &journal)
                    case 4: _ = await device.push()
                    case 5: _ = try? await device.pull()
                    case 6: try await resolve(device, below, &journal)
                    default: break
                    }
                }
                if below(12) == 0 {
                    try stores.withLock { stores in
                        try stores[number].close()
                        stores[number] = try folders[number].open()
                    }
                }
                server.clock.advance(by: .milliseconds(below(3)))
            }
            server.repair()
            try await finish(server, stores.withLock { $0 }, &journal)
        }
    }

    private func edit(_ device: Device, _ step: Int, _ below: (Int) -> Int, _ journal: inout Journal) async throws {
        let rows = try await device.table.read().rows
        if rows.count < 2 || below(3) == 0 {
            let text = TableValue.string("made \(step)")
            let id = try await device.table.insert(["text": text]).id
            journal.edits.append(Edit(row: id, column: "text", value: text))
            return
        }
        let row = rows[below(rows.count)]
        let column = ["text", "notes", "tags"][below(3)]
        let value = TableValue.string("\(column) \(step)")
        try await device.table.update(row.id, [column: value])
        journal.edits.append(Edit(row: row.id, column: column, value: value))
    }

    private func delete(_ device: Device, _ below: (Int) -> Int, _ journal: inout Journal) async throws {
        let rows = try await device.table.read().rows
        guard rows.count > 3 else { return }
        let row = rows[below(rows.count)]
        try await device.table.delete(row.id)
        journal.deleted.insert(row.id)
    }

    /// Decides what is recorded at random; the side that is given up has been shown in the record.
    private func resolve(_ device: Device, _ below: (Int) -> Int, _ journal: inout Journal) async throws {
        for error in try await device.context.errors() {
            for row in [error.item, error.serverItem] {
                for (column, value) in row?.values ?? [:] {
                    journal.recorded.append(Edit(row: error.itemID, column: column, value: value))
                }
            }
            try await device.context.resolve(error, by: below(2) == 0 ? .mine : .theirs)
        }
    }

    private func finish(_ server: TestServer, _ stores: [SQLiteSyncStore], _ journal: inout Journal) async throws {
        // Each round leaves fewer operations: conflicts are decided, and nothing is lost any more.
        for _ in 0..<6 {
            for store in stores {
                try await withDevice(server, store) { device in
                    _ = await device.push()
                    try await resolve(device, { _ in 0 }, &journal)
                    try await device.pull()
                }
            }
        }
        var all: [[RowID: [String: TableValue]]] = []
        for store in stores {
            try await withDevice(server, store) { device in
                #expect(try await device.context.pendingOperationsCount() == 0)
                #expect(try await device.context.errors().isEmpty)
                all.append(try await values(device))
            }
        }
        try await withDevice(server) { device in
            try await device.pull()
            all.append(try await values(device))
        }
        #expect(all[0] == all[1])
        #expect(all[1] == all[2])
        for (index, edit) in journal.edits.enumerated() where !journal.isAccountedFor(edit, at: index) {
            #expect(all[2][edit.row]?[edit.column] == edit.value, "\(edit) is nowhere")
        }
    }

    private func values(_ device: Device) async throws -> [RowID: [String: TableValue]] {
        let rows = try await device.table.read().rows
        return Dictionary(rows.map { ($0.id, $0.values.filter { $0.value != .null }) }) { first, _ in first }
    }
}
