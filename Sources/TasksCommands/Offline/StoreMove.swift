import Foundation
import Glibc
import OfflineTables
import Storage

/// The change of a store's kind: everything in it goes into a new store, which takes its place.
///
/// The copy has a name of its own until it is whole, and the old store is renamed before that name changes, so that a
/// process which ends at any point leaves folders that say how to go on.
struct StoreMove {
    /// Opens a store by its folder; the second is true for the new one.
    typealias Open = (_ path: String, _ isNew: Bool) throws -> SQLiteSyncStore

    private let old: String
    private let new: String
    private var copy: String { Self.copy(new) }
    private var done: String { Self.done(old) }

    init(from old: String, to new: String) {
        self.old = old
        self.new = new
    }

    /// Every folder that a store and its changes of kind may have.
    static func paths(_ store: String) -> [String] { [store, copy(store), done(store)] }

    /// Moves the old store if there is one and no new one, and ends what an earlier process began.
    func run(_ open: Open) async throws {
        if exists(done) {
            if exists(copy), !exists(new) { try rename(copy, new) }
            return try remove(done)
        }
        if exists(copy) { try remove(copy) }
        guard exists(old), !exists(new) else { return }
        let source = try open(old, false)
        do {
            // Whoever syncs over the old store now is waited for, and nobody does while it is copied.
            try await source.exclusively { [copy = try open(copy, true)] in
                try await source.copy(to: copy)
                try copy.close()
            }
            try source.close()
        } catch {
            try? source.close()
            throw error
        }
        try rename(old, done)
        try rename(copy, new)
        try remove(done)
    }

    private static func copy(_ store: String) -> String { store + ".copy" }
    private static func done(_ store: String) -> String { store + ".moved" }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private func rename(_ from: String, _ to: String) throws(StoreError) {
        guard Glibc.rename(from, to) == 0 else { throw .fromErrno(errno, "cannot move \(from)") }
        try StateDirectory((from as NSString).deletingLastPathComponent).synchronize()
    }

    private func remove(_ path: String) throws(StoreError) {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            throw StoreError(.unreadable, "\(path) cannot be removed")
        }
    }
}
