import FlowModel
import Foundation
import Glibc
import OfflineTables
import Storage
import Terminal

/// The change of a store's kind: everything in it goes into a new store, which takes its place.
///
/// The copy has a name of its own until it is whole, which a mark says; the old store goes when the new one is in place. So
/// a process which ends at any point leaves folders that say how to go on, and at every moment one of the two is there.
struct StoreMove: Sendable {
    /// Opens a store by its folder; the second is true for the new one.
    typealias Open = @Sendable (_ path: String, _ isNew: Bool) async throws -> SQLiteSyncStore

    /// Times that a store is copied anew because it was changed before it could be closed.
    private static let attempts = 5

    let old: String
    let new: String
    private var copy: String { Self.copy(new) }
    private var mark: String { Self.mark(new) }

    /// Every folder that a store and its changes of kind may have.
    static func paths(_ store: String) -> [String] { [store, copy(store), mark(store)] }

    /// Moves the old store if there is one and no new one, and ends what an earlier process began.
    ///
    /// - Parameters:
    ///   - open: Opens a store.
    ///   - damaged: Sets the old store aside where it turns out to be damaged; a new one is moved in its place.
    /// - Throws: What keeps a store from being opened, read or written.
    func run(_ open: @escaping Open, damaged: (SQLiteSyncStore) async throws -> Void) async throws {
        try finish()
        guard isDue else { return }
        let source = try await open(old, false)
        do {
            // One process at a time, and nobody syncs meanwhile; whoever had to wait finds that it is done.
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

    /// Copies the source into a new store until nothing was changed in it meanwhile; from then on nothing can be.
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

    /// Puts a whole copy in its place, and removes the old store, but nothing that was saved from its damage.
    private func finish() throws {
        guard exists(mark) else { return }
        if exists(copy) {
            // Whoever was faster has done the same.
            guard rename(copy, new) == 0 || exists(new) else {
                throw StoreError.fromErrno(errno) { .cannotMove(copy, why: $0) }
            }
            try synchronize()
        }
        try moveSaved()
        try remove(old)
        try remove(mark)
    }

    /// Moves what was saved from damage of the old store into the folder of the new one.
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
            // Another process may have moved it.
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
