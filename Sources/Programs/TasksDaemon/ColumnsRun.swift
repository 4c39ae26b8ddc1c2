import Foundation
import Moments
import OAuth
import ProgramConfiguration
import Storage
import Tables
import TablesStore

/// Implements `tasksd --columns` and `tasksd --drop-column`, which can be used only while the daemon is not running.
struct ColumnsRun {
    let configuration: TasksdConfiguration
    let directory: String

    /// Prints a table's columns, one per line with name, type and origin (`configuration` or `rows`).
    func list(_ table: String) async throws {
        try await withStore { store in
            guard let columns = try await store.storedColumns.all(of: table) else {
                throw StartFailure(.failed, "The database has no table '\(table)'.")
            }
            for column in columns {
                let origin = isConfigured(column.name, of: table) ? "configuration" : "rows"
                try printLine("\(PlainText.line(column.name))\t\(column.type.rawValue)\t\(origin)")
            }
        }
    }

    /// Drops a column that is not in the configuration, together with all its values.
    func drop(_ place: String) async throws {
        let parts = place.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else {
            throw StartFailure(.usage, "The option --drop-column must be TABLE.COLUMN, not '\(place)'.")
        }
        guard !isConfigured(parts[1], of: parts[0]) else {
            throw StartFailure(.configuration, "\(place) is in the configuration. Remove it there first.")
        }
        try await withStore { store in
            guard try await store.storedColumns.drop(parts[1], of: parts[0]) else {
                throw StartFailure(.failed, "The database has no column '\(place)'.")
            }
            try printLine("dropped\t\(PlainText.line(place))")
        }
    }

    private func isConfigured(_ column: String, of table: String) -> Bool {
        configuration.tables.contains { $0.name.lowercased() == table.lowercased() && $0.column(column) != nil }
    }

    private func withStore(_ body: (TablesStore) async throws -> Void) async throws {
        do {
            try FolderOwner.become(of: directory)
            let database = "\(directory)/\(TablesStore.fileName)"
            guard FileManager.default.fileExists(atPath: database) else {
                throw StartFailure(.configuration, "There is no database \(database)")
            }
            let directory = try StateDirectory(directory)
            let lock = try LockFile(TablesStore.lockName, in: directory)
            defer { withExtendedLifetime(lock) {} }
            let store = try await TablesStore.open(
                in: directory,
                definitions: configuration.tables,
                limits: configuration.limits,
                clock: .system
            )
            defer { store.close() }
            try await body(store)
        } catch let error as StoreError where error.code == .inUse {
            throw StartFailure(.tryLater, "\(error.message) Stop the daemon first.")
        }
    }
}
