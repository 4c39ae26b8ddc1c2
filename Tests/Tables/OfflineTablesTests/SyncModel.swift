import Foundation
import OAuth
import OfflineTables
import Storage
import Synchronization
import Tables
import TablesClient
import TestSupport
import Testing

/// A simulation of one user with three devices and a server.
///
/// On each device, the user randomly edits, deletes and restores rows, pulls, pushes and resolves conflicts. Requests
/// and responses are lost, requests arrive late or twice, the server fails, and stores fail or kill the process. The
/// seed determines all random choices.
///
/// All state is in one directory, so another process can continue the simulation.
final class SyncModel: Sendable {
    static let devices = 3
    /// The prefix of the row ids that more than one device may choose.
    static let sharedID = "shared "
    /// The number of steps in one run.
    ///
    /// In each step, one random device performs one action.
    private static let steps = 60
    /// The maximum number of rounds in which all devices sync after a run.
    ///
    /// After these rounds, all devices must have the same rows.
    private static let rounds = 10

    private let home: String
    private let random: Mutex<SeededGenerator>
    private let seed: UInt64
    private let journal: SyncJournal
    private let numbers = Mutex(0)
    private let late = Mutex<[TablesRequest]>([])

    init(_ home: String, seed: UInt64) throws {
        self.home = home
        self.seed = seed
        random = Mutex(SeededGenerator(seed: seed))
        journal = try SyncJournal("\(home)/journal")
    }

    private func below(_ limit: Int) -> Int { random.withLock { $0.below(limit) } }

    private func open(_ number: Int) throws -> SQLiteSyncStore {
        try SQLiteSyncStore(StateDirectory("\(home)/device-\(number)"), key: StoreFolder.key, clock: TestClock().clock)
    }

    /// Runs all steps in this process.
    ///
    /// If the store of a device fails, the device opens its database file again and continues.
    func live() async throws {
        try await life(ending: .throwing)
    }

    /// Runs steps until the process kills itself during a write to a store.
    func liveUntilKilled() async throws {
        try await life(ending: .killing)
        // The run may end without such a write. In that case, the process kills itself here.
        kill(getpid(), SIGKILL)
    }

    private func life(ending: BreakableStore.End) async throws {
        try await TestServer.run(in: home) { server in
            var stores = try (0..<Self.devices).map(open)
            for _ in 0..<Self.steps {
                let number = below(Self.devices)
                let store = BreakableStore(stores[number], ending: ending)
                switch ending {
                case .throwing: if below(6) == 0 { store.breakAt(write: 1 + below(4), committed: below(2) == 0) }
                case .killing: if below(25) == 0 { store.breakAt(write: 1 + below(4), committed: below(2) == 0) }
                }
                let merges = below(4) == 0
                try await withDevice(server, store) {
                    if merges { $0.conflicts = .fieldByField }
                    // With concurrent operations, the number of writes would depend on the timing of the responses.
                    $0.operationsAtOnce = 1
                } _: { device in
                    disturb(server, device)
                    do {
                        try await act(device, number)
                    } catch is BreakableStore.Killed {
                        // The store is opened again below.
                    }
                }
                server.repair()
                if store.isDead || below(12) == 0 {
                    try stores[number].close()
                    stores[number] = try open(number)
                }
                if below(8) == 0 { try await deliverLate(server) }
                server.clock.advance(by: .milliseconds(below(3)))
            }
            for store in stores { try store.close() }
        }
    }

    /// Makes random requests fail, and makes random edits on the device during requests.
    private func disturb(_ server: TestServer, _ device: Device) {
        let isCalm = below(4) == 0
        server.fault { request in
            if !isCalm, self.below(12) == 0 { try? await self.edit(device) }
            switch isCalm ? 99 : self.below(30) {
            case 0, 1:
                self.late.withLock { $0.append(request) }
                return .requestLost
            case 2, 3: return .requestLost
            case 4...7: return .answerLost
            case 8, 9: return .twice
            case 10: return .answered(500, ["code": 500, "error": "no"])
            case 11: return .answeredInstead(500, ["code": 500, "error": "no"])
            case 12: return .answered(400, ["code": 400, "error": "no"])
            case 13: return .answered(401, ["code": 401, "error": "no"])
            case 14: return .answered(403, ["code": 403, "error": "no"])
            default: return .none
            }
        }
    }

    /// Delivers the oldest request, if any, that was reported to its client as lost.
    private func deliverLate(_ server: TestServer) async throws {
        let request: TablesRequest? = late.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if let request { _ = try await server.deliver(request) }
    }

    /// Performs a random user action on a device.
    private func act(_ device: Device, _ number: Int) async throws {
        switch below(16) {
        case 0...4: try await edit(device)
        case 5: try await delete(device, number)
        case 6, 7: try await going { try await device.context.push() }
        case 8: try await going { try await device.table.pull(queryID: "all", settings: pulling(.nothing)) }
        case 9, 10: try await going { try await device.pull() }
        case 11:
            try await going { try await device.context.push() }
            try await going { try await device.table.pull(queryID: "all", settings: pulling(.nothing)) }
        case 12: try await resolve(device)
        case 13, 14: try await restore(device, number)
        default: try await going { try await device.table.pull(queryID: nil, settings: pulling(.nothing)) }
        }
    }

    private func pulling(_ first: SyncTable.PushesFirst) -> SyncTable.PullSettings {
        var settings = SyncTable.PullSettings()
        settings.pushesFirst = first
        settings.pageSize = 1 + below(4)
        return settings
    }

    /// Runs `body` and ignores its sync errors and API errors, because a user would continue after them.
    private func going<Value: Sendable>(_ body: () async throws -> Value) async throws {
        do {
            _ = try await body()
        } catch let error as SyncError {
            if let killed = error.underlying as? BreakableStore.Killed { throw killed }
        } catch is TablesError {}
    }

    // MARK: User actions

    private func unique(_ column: String) -> String {
        let number = numbers.withLock { number in
            number += 1
            return number
        }
        return "\(column) \(seed).\(number)"
    }

    private func edit(_ device: Device) async throws {
        let rows = try await sorted(device)
        if rows.count < 2 || below(5) == 0 { return try await insert(device) }
        let row = rows[below(rows.count)]
        let column = ["text", "notes", "tags"][below(3)]
        let edit = SyncJournal.Edit(
            row: row.id.text,
            column: column,
            value: unique(column),
            over: row.values[column]?.string
        )
        try journal.add(.edit(edit))
        do {
            try await device.table.update(row.id, [column: .string(edit.value)])
        } catch is SyncError { return }
        try journal.add(.edited(edit))
    }

    private func insert(_ device: Device) async throws {
        // Sometimes, two devices choose the same id.
        let id = below(6) == 0 ? "\(Self.sharedID)\(below(2))" : unique("row")
        let columns = below(2) == 0 ? ["text"] : ["text", "notes"]
        let edits = columns.map { SyncJournal.Edit(row: id, column: $0, value: unique($0), over: nil) }
        for edit in edits { try journal.add(.edit(edit)) }
        do {
            let values = Dictionary(edits.map { ($0.column, TableValue.string($0.value)) }) { first, _ in first }
            try await device.table.insert(values, id: RowID(id))
        } catch is SyncError { return }
        for edit in edits { try journal.add(.edited(edit)) }
    }

    private func delete(_ device: Device, _ number: Int) async throws {
        let rows = try await sorted(device)
        guard rows.count > 2 else { return }
        let row = rows[below(rows.count)]
        try journal.add(.delete(row: row.id.text, device: number, seen: row.values.compactMapValues(\.string)))
        try await device.table.delete(row.id)
        try journal.add(.deleted(row: row.id.text))
    }

    /// Restores a random deleted row, either by removing its deletion from the queue or by a request to the server.
    private func restore(_ device: Device, _ number: Int) async throws {
        let waiting = try await device.context.pendingOperations().filter { $0.kind == .delete }.map(\.itemID.text)
        let rows = waiting.isEmpty || below(4) == 0 ? journal.deletedRows : waiting
        guard !rows.isEmpty else { return }
        let row = rows[below(rows.count)]
        try journal.add(.restore(row: row))
        try await going {
            try await device.table.undelete(#require(RowID(row)))
            if waiting.contains(row) { try journal.add(.withdrawn(row: row, device: number)) }
        }
    }

    /// Reads all recorded conflicts and rejections, and resolves a random part of them, or all of them if `all` is
    /// true.
    private func resolve(_ device: Device, all: Bool = false) async throws {
        let errors = try await device.context.errors()
        for error in errors { try show(error) }
        for error in errors where all || below(3) > 0 {
            let decision: ConflictResolution =
                switch below(8) {
                case 0: .delete
                case 1...3: .theirs
                default: .mine
                }
            let row = error.itemID.text
            try journal.add(.decided(row: row, deletes: Self.deleted(by: decision, of: error)))
            var isDecided = false
            try await going {
                try await device.context.resolve(error, by: decision)
                isDecided = true
            }
            if !isDecided { try journal.add(.undecided(row: row)) }
        }
    }

    /// Returns the values that the user discards by a decision that deletes the row or leaves it deleted.
    private static func deleted(by decision: ConflictResolution, of error: TableOperationError) -> [String: String] {
        let mine = error.item?.values ?? [:]
        switch decision {
        case .delete: return mine.merging(error.serverItem?.values ?? [:]) { $1 }.compactMapValues(\.string)
        case .theirs where error.isDeletedThere: return mine.compactMapValues(\.string)
        case .theirs, .mine, .merged, .record: return [:]
        }
    }

    private func show(_ error: TableOperationError) throws {
        let row = error.itemID.text
        // The error of a deletion also shows the user's pending edits of the deleted row.
        try show(error.edit, of: error)
        if !error.operation.leavesRow { try journal.add(.shownDeletion(row: row)) }
        if error.isDeletedThere { try journal.add(.shownDeletion(row: row)) }
        // The error of an update shows only the columns that the update changes. The error of a deletion shows all
        // columns.
        let theirs = error.serverItem?.values ?? [:]
        try show(theirs.filter { error.edit[$0.key] != nil || !error.operation.leavesRow }, of: error)
    }

    private func show(_ values: [String: TableValue], of error: TableOperationError) throws {
        for (column, value) in values {
            guard let value = value.string else { continue }
            try journal.add(.shown(row: error.itemID.text, column: column, value: value))
        }
    }

    private func sorted(_ device: Device) async throws -> [RemoteRow] {
        try await device.table.read().rows.sorted { $0.id.text < $1.id.text }
    }

    // MARK: Final check

    /// Syncs all devices without faults, and compares them with each other, with the server and with the journal.
    func finish() async throws {
        try await TestServer.run(in: home) { server in
            let stores = try (0..<Self.devices).map(open)
            // Two rounds without pending operations are required, because the first device receives the changes of the
            // last device only in the next round.
            var calmRounds = 0
            for _ in 0..<Self.rounds where calmRounds < 2 {
                var isCalm = true
                for store in stores {
                    try await withDevice(server, store) { device in
                        if try await device.context.pendingOperationsCount() > 0 { isCalm = false }
                        _ = await device.push()
                        try await resolve(device, all: true)
                        try await device.pull()
                    }
                }
                calmRounds = isCalm ? calmRounds + 1 : 0
            }
            var truth: [RemoteRow] = []
            try await withDevice(server) { device in
                try await device.pull()
                truth = try await sorted(device)
            }
            for (number, store) in stores.enumerated() {
                try await withDevice(server, store) { device in
                    try await device.pull()
                    #expect(try await device.queue() == [], "seed \(seed), device \(number)")
                    #expect(try await device.context.errors().isEmpty, "seed \(seed), device \(number)")
                    let rows = try await sorted(device)
                    #expect(Self.compared(rows) == Self.compared(truth), "seed \(seed), device \(number)")
                }
                try store.close()
            }
            let rows = Dictionary(truth.map { ($0.id.text, $0.values.compactMapValues(\.string)) }) { first, _ in first
            }
            #expect(journal.lost(rows) == [], "seed \(seed)")
        }
    }

    /// Returns one line of text for each row, with its version and its values.
    private static func compared(_ rows: [RemoteRow]) -> [String] {
        rows.map { row in
            let values = row.values.filter { $0.value != .null }.sorted { $0.key < $1.key }
            let cells = values.map { "\($0.key)=\($0.value)" }.joined(separator: ", ")
            return "\(row.id.text) \(row.version?.description ?? "-"): \(cells)"
        }
    }
}

extension TableOperationError {
    /// Whether the row is deleted on the server.
    fileprivate var isDeletedThere: Bool { statusCode == 404 || serverItem?.isDeleted == true }
}
