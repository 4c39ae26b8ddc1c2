import Foundation
import Moments
import OAuth
import OfflineTables
import Storage
import Tables
import TablesClient
import TestSupport

/// A client with its own store, and helper functions for tests.
struct Device: Sendable {
    let context: SyncContext
    let table: SyncTable
    private let client: TablesClient

    /// Creates a client that syncs `store` with the server.
    init(
        _ server: TestServer,
        _ store: any SyncStore = MemorySyncStore(),
        as oid: String = "alice",
        tables: [TableDeclaration]? = nil,
        _ change: (inout SyncContext.Options) -> Void = { _ in }
    ) throws {
        var options = SyncContext.Options()
        change(&options)
        client = try server.client(oid)
        let tables = try tables ?? [.todoitem]
        context = SyncContext(store, tables: tables, client: client, options: options, clock: server.clock.clock)
        table = try context.table(tables[0].name)
    }

    func close() async throws { try await client.close() }

    @discardableResult
    func add(_ text: String, id: String? = nil) async throws -> RowID {
        try await table.insert(["text": .string(text)], id: id.flatMap { RowID($0) }).id
    }

    /// Returns the texts of the local rows, sorted.
    func texts() async throws -> [String] {
        try await table.read().rows.compactMap { $0["text"]?.string }.sorted()
    }

    /// Returns the pending operations in the form `kind:id`.
    func queue() async throws -> [String] {
        try await context.pendingOperations().map { "\($0.kind.word):\($0.itemID.text)" }
    }

    /// Pushes, and returns the error, or `nil` if the push succeeds.
    func push(_ tables: [String]? = nil) async -> SyncError? {
        do {
            try await context.push(tables: tables)
            return nil
        } catch {
            return error as? SyncError
        }
    }

    @discardableResult
    func pull() async throws -> PullReport { try await table.pull(queryID: "all") }
}

/// A temporary directory for a store, which is sealed with a fixed key unless `isSealed` is `false`.
struct StoreFolder {
    let folder: TemporaryFolder
    let key: Secret?

    init(isSealed: Bool = true) throws {
        folder = try TemporaryFolder()
        key = isSealed ? Self.key : nil
    }

    /// The key with which every sealed store is sealed.
    static var key: Secret { Secret(bytes: [UInt8](repeating: 7, count: 32)) }

    var directory: StateDirectory { get throws { try StateDirectory(folder.path("store")) } }

    func open() throws -> SQLiteSyncStore { try SQLiteSyncStore(directory, key: key, clock: TestClock().clock) }
}

/// Runs `body` with a device, and then closes the device's connections.
func withDevice(
    _ server: TestServer,
    _ store: any SyncStore = MemorySyncStore(),
    as oid: String = "alice",
    tables: [TableDeclaration]? = nil,
    _ change: (inout SyncContext.Options) -> Void = { _ in },
    _ body: (Device) async throws -> Void
) async throws {
    let device = try Device(server, store, as: oid, tables: tables, change)
    do {
        try await body(device)
    } catch {
        try await device.close()
        throw error
    }
    try await device.close()
}
