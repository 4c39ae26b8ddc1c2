import FlowModel
import Foundation
import Glibc
import OfflineTables
import Storage
import Terminal

/// Encrypts or decrypts a store by copying it into a new store, which then replaces the old store.
///
/// A marker shows whether the copy is complete. If the process ends at any point, at least one store is complete, and
/// the conversion can continue.
struct StoreMove: Sendable {
    /// Opens the store in a folder, where `isNew` is `true` for the new store and `false` for the old store.
    typealias Open = @Sendable (_ path: String, _ isNew: Bool) async throws -> SQLiteSyncStore

    /// The maximum number of attempts to copy a store that keeps changing.
    private static let attempts = 5

    let old: String
    let new: String
    private var copy: String { Self.copy(new) }
    private var mark: String { Self.mark(new) }

    static func paths(_ store: String) -> [String] { [store, copy(store), mark(store)] }

    /// Finishes an interrupted conversion or converts the old store, and calls `damaged` to set a damaged store aside.
    func run(_ open: @escaping Open, damaged: (SQLiteSyncStore) async throws -> Void) async throws {
        try finish()
        guard isDue else { return }
        let source = try await open(old, false)
        do {
            // No other process can sync or convert the store meanwhile. Waiting processes find the new store.
            try await source.exclusively {
                guard isDue else { return }
                try await fill(copy, from: source, open)
                guard mkdir(mark, 0o700) == 0 else { throw StoreError.fromErrno(errno) { .cannotMake(mark, why: $0) } }
                try synchronize()
                try finish()
            }
            try source.close()
        } catch {
            guard source.isDamaged else {
                try? source.close()
                throw error
            }
            try await damaged(source)
            try await run(open) { _ in throw error }
        }
    }

    /// Copies the source and then closes it to writers, starting again if the source changes during the copy.
    private func fill(_ copy: String, from source: SQLiteSyncStore, _ open: Open) async throws {
        for _ in 0..<Self.attempts {
            try remove(copy)
            let target = try await open(copy, true)
            let isWhole = try await source.move(to: target)
            try target.close()
            if isWhole { return }
        }
        throw CommandFailure(.tryLater, "storage_failed", Text("failure.store.beingChanged", ["path": old]))
    }

    private var isDue: Bool { exists(old) && !exists(new) }

    /// Moves a complete copy into place and removes the old store, but keeps edits saved from a damaged store.
    private func finish() throws {
        guard exists(mark) else { return }
        if exists(copy) {
            // If the new store exists, another process has already moved the copy.
            guard rename(copy, new) == 0 || exists(new) else {
                throw StoreError.fromErrno(errno) { .cannotMove(copy, why: $0) }
            }
            try synchronize()
        }
        try moveSaved()
        try remove(old)
        try remove(mark)
    }

    /// Moves the edits that were saved from a damaged store into the new store's folder.
    private func moveSaved() throws {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: old)
        } catch {
            guard !exists(old) else {
                throw CommandFailure.storageFailed(Text("failure.store.notReadable", ["path": old]))
            }
            return
        }
        for name in names where StoreRescue.isSaved(name) {
            // If the file is missing, another process has already moved it.
            guard rename("\(old)/\(name)", "\(new)/\(name)") == 0 || errno == ENOENT else {
                throw StoreError.fromErrno(errno) { .cannotMove("\(old)/\(name)", why: $0) }
            }
        }
        try StateDirectory(new).synchronize()
    }

    private static func copy(_ store: String) -> String { store + ".copy" }
    private static func mark(_ store: String) -> String { store + ".copied" }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private func synchronize() throws(StoreError) {
        try StateDirectory((new as NSString).deletingLastPathComponent).synchronize()
    }

    private func remove(_ path: String) throws(CommandFailure) {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            guard !exists(path) else {
                throw CommandFailure.storageFailed(Text("failure.cannotRemove", ["path": path]))
            }
        }
    }
}
