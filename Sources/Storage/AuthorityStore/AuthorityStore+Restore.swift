import DurableSQLite
import FlowModel
import Foundation
import GRDB
import Glibc
import Moments
import OAuth
public import Storage

extension AuthorityStore {
    /// The operations that replace the store, which leave one complete store even if they are interrupted.
    ///
    /// The new store is prepared and checked under a temporary name. It is then given a second name, from which
    /// ``finish(in:file:removing:unless:)`` moves it into place, even after an interruption.
    public enum Restore {
        static let draft = "authority.sqlite.draft"
        static let restored = "authority.sqlite.restored"
        static let setAside = "authority.sqlite.before-restore"
        private static let suffixes = ["", "-wal", "-shm"]

        /// A closure that deletes session-dependent content from a file, or returns `false` if the file must be
        /// removed.
        public typealias Emptying = @Sendable (_ name: String, _ directory: StateDirectory) -> Bool

        /// The result of replacing the store.
        public struct Outcome: Hashable, Sendable {
            /// The number of users in the new store.
            public let users: Int64
            /// The number of the last audit event in the backup.
            public let lastEvent: Int64
            /// The path of the previous store, or `nil` if none existed.
            public let setAside: String?
        }

        /// Replaces the store with a backup, and ends all of the backup's sessions, refresh-token families and flows.
        ///
        /// The store must be closed. `path` is the backup's path, for messages. `others` names session-dependent files,
        /// such as the cache, which are removed unless `isEmptied` returns `true`.
        ///
        /// - Throws: `wrongKey`, `olderSchema`, `newerSchema`, `unreadable` or `corrupt` for an unusable backup, or
        ///   `conflict` if the store that an earlier restore replaced still exists. In these cases, nothing has
        ///   changed.
        public static func run(
            from source: CInt,
            path: String,
            _ options: Options,
            removing others: [String],
            unless isEmptied: @escaping Emptying = { _, _ in false }
        ) async throws(StoreError) -> Outcome {
            let seal = try BackupSeal(options)
            return try await replace(options, removing: others, unless: isEmptied, cause: .restored, path: path) {
                directory throws(StoreError) in
                try directory.copy(from: source, to: draft)
                guard try !seal.unseal(directory.path(draft)) else { return }
                throw StoreError(.unreadable, .noSeal(path))
            }
        }

        /// Rebuilds stores that have damaged write-ahead logs, using the data that SQLite can still read.
        ///
        /// All sessions, refresh-token families and flows end, and attempt budgets count as exhausted, because a lost
        /// change could have ended a session or charged an attempt. The parameters are those of
        /// ``run(from:path:_:removing:unless:)``.
        ///
        /// - Throws: `notFound` if no log is damaged, `corrupt` if the database file is damaged too, or `conflict` if
        ///   an earlier restore's previous store still exists. In these cases, nothing has changed.
        public static func acceptDamage(
            _ options: Options,
            removing others: [String],
            unless isEmptied: @escaping Emptying = { _, _ in false }
        ) async throws(StoreError) -> Outcome {
            let folder = try StateDirectory(options.directory)
            try finish(in: folder, file: options.file, removing: others, unless: isEmptied)
            guard ([options.file] + others).contains(where: { DurableDatabase.hasDamagedLog(folder.path($0)) }) else {
                throw StoreError(.notFound, "No write-ahead log in \(folder.path) is damaged. Nothing was changed.")
            }
            let path = folder.path(options.file)
            return try await replace(options, removing: others, unless: isEmptied, cause: .damageAccepted, path: path) {
                directory throws(StoreError) in
                for suffix in ["", "-wal"] where exists(options.file + suffix, directory) {
                    try copy(options.file + suffix, to: draft + suffix, directory)
                }
            }
        }

        private static func copy(_ name: String, to other: String, _ directory: StateDirectory) throws(StoreError) {
            let source = Glibc.open(directory.path(name), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
            guard source >= 0 else { throw .fromErrno(errno) { .cannotRead(directory.path(name), why: $0) } }
            defer { Glibc.close(source) }
            try directory.copy(from: source, to: other)
        }

        private enum Cause {
            case restored
            case damageAccepted

            var event: AuditKind {
                switch self {
                case .restored: .storeRestored
                case .damageAccepted: .storeDamageAccepted
                }
            }

            var acceptsDamage: Bool { self == .damageAccepted }
        }

        private static func replace(
            _ options: Options,
            removing others: [String],
            unless isEmptied: Emptying,
            cause: Cause,
            path: String,
            _ fillDraft: (StateDirectory) throws(StoreError) -> Void
        ) async throws(StoreError) -> Outcome {
            let directory = try StateDirectory(options.directory)
            try finish(in: directory, file: options.file, removing: others, unless: isEmptied)
            let hasOld = exists(options.file, directory)
            for suffix in suffixes where hasOld && exists(setAside + suffix, directory) {
                throw StoreError(.conflict, .earlierRestore(directory.path(setAside + suffix)))
            }
            remove(draft, directory)
            let outcome: Outcome
            do throws(StoreError) {
                try fillDraft(directory)
                outcome = try await prepare(options, hasOld ? directory.path(setAside) : nil, cause)
            } catch {
                remove(draft, directory)
                throw StoreError(error.code, error.said.replacing(directory.path(draft), with: path))
            }
            try rename(draft, restored, directory)
            try finish(in: directory, file: options.file, removing: others, unless: isEmptied)
            return outcome
        }

        /// Moves a restored store into place if there is one.
        public static func finish(
            in directory: StateDirectory,
            file: String = "authority.sqlite",
            removing others: [String],
            unless isEmptied: Emptying = { _, _ in false }
        ) throws(StoreError) {
            guard exists(restored, directory) else { return }
            // SQLite must never apply the old store's log to the new store.
            for suffix in suffixes where exists(file + suffix, directory) {
                try rename(file + suffix, setAside + suffix, directory)
            }
            for name in others where !isEmptied(name, directory) { remove(name, directory) }
            try rename(restored, file, directory)
        }

        /// Updates a copy to the current schema, checks it, and ends all sessions, refresh-token families and flows.
        private static func prepare(
            _ options: Options,
            _ old: String?,
            _ cause: Cause
        ) async throws(StoreError) -> Outcome {
            let copy = try AuthorityStore.open(
                Options(directory: options.directory, file: draft, key: options.key, clock: options.clock),
                acceptsDamage: cause.acceptsDamage
            )
            let faults = try await copy.check()
            guard faults.isEmpty else {
                throw StoreError(.corrupt, .damagedPart(copy.core.database.path, what: faults[0]))
            }
            if !cause.acceptsDamage { try copy.requireSealedValuesToOpen() }
            let outcome = try await copy.endEverything(
                event: cause.event,
                spendsAttempts: cause.acceptsDamage,
                setAside: old
            )
            try copy.core.database.seal()
            return outcome
        }

        private static func exists(_ name: String, _ directory: StateDirectory) -> Bool {
            access(directory.path(name), F_OK) == 0
        }

        private static func remove(_ name: String, _ directory: StateDirectory) {
            for suffix in suffixes { unlink(directory.path(name + suffix)) }
        }

        private static func rename(_ old: String, _ new: String, _ directory: StateDirectory) throws(StoreError) {
            guard Glibc.rename(directory.path(old), directory.path(new)) == 0 else {
                throw .fromErrno(errno) { .cannotRename(directory.path(old), why: $0) }
            }
            try directory.synchronize()
        }
    }

    /// Ends all sessions, refresh-token families and flows, and deletes all requests, codes and unsent messages.
    private func endEverything(
        event kind: AuditKind,
        spendsAttempts: Bool,
        setAside: String?
    ) async throws(StoreError) -> Restore.Outcome {
        try await core.database.write { db, now in
            let last = try db.number("SELECT max(seq) FROM audit")
            let families = try db.run(
                "UPDATE families SET revoked_at = :now, revoked_reason = 'restored' WHERE revoked_at IS NULL",
                ["now": now.wall]
            )
            let sessions = try db.run("DELETE FROM sessions")
            for table in [
                "flows", "requests", "codes", "device_codes", "pushed_requests", "tickets", "departures", "outbox",
                "sign_outs", "remembered_proofs",
            ] {
                try db.run("DELETE FROM \(table)")
            }
            if spendsAttempts { try Budgets.spend(db, at: now) }
            try Epoch.raise(db)
            let event = AuditEvent(
                kind,
                correlationID: .random(),
                detail: ["sessions": "\(sessions)", "families": "\(families)", "lastEvent": "\(last)"]
            )
            try Audit.append(db, [event], at: now)
            return Restore.Outcome(
                users: try db.number("SELECT count(*) FROM users"),
                lastEvent: last,
                setAside: setAside
            )
        }
    }
}
