import DurableSQLite
import FlowModel
import Foundation
import GRDB
import Moments
import OAuth
public import Storage

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension AuthorityStore {
    /// Puts another store into the place of this one, so that whenever it is interrupted there is one whole store: the
    /// copy is made and looked at under a name that nobody opens; given the name of a restored store, which the next
    /// start puts into place if this process does not; put into place.
    public enum Restore {
        /// The copy while it is looked at; what a killed restore left is begun anew.
        static let draft = "authority.sqlite.draft"
        /// The copy that is good.
        static let restored = "authority.sqlite.restored"
        /// The store that was there.
        static let setAside = "authority.sqlite.before-restore"
        private static let suffixes = ["", "-wal", "-shm"]

        /// Result of putting another store into place.
        public struct Outcome: Hashable, Sendable {
            /// Number of people.
            public let users: Int64
            /// The number of the last event of the audit that the backup had.
            public let lastEvent: Int64
            /// Path of the store that was there before.
            public let setAside: String?
        }

        /// Makes a backup the store, with no session, family or flow of before alive.
        ///
        /// - Parameters:
        ///   - source: The backup, open for reading.
        ///   - path: Where the backup is, for messages.
        ///   - options: Where the store will be, and the key that the backup is sealed by. Nobody may have it open.
        ///   - others: Files of the folder that mean nothing without the sessions that end: the cache.
        /// - Returns: What was restored.
        /// - Throws: `wrongKey`, `newerSchema`, `unreadable`, `corrupt` where the backup cannot be used, `conflict`
        ///   where the store of an earlier restore is still there; nothing was changed then.
        public static func run(
            from source: CInt,
            path: String,
            _ options: Options,
            removing others: [String]
        ) async throws(StoreError) -> Outcome {
            try await replace(options, removing: others, cause: .restored, path: path) { directory throws(StoreError) in
                try directory.copy(from: source, to: draft)
            }
        }

        /// Keeps what SQLite still reads of stores whose write-ahead logs are damaged, and ends what may be alive again
        /// by the loss: sessions, families and flows die, and attempts count as spent.
        ///
        /// - Parameters:
        ///   - options: The store; nobody may have it open.
        ///   - others: As above; the damaged log may be one of theirs.
        /// - Returns: What is left.
        /// - Throws: `notFound` where no log is damaged, `corrupt` where the database is not sound without what is lost,
        ///   `conflict` where the store of an earlier restore is still there; nothing was changed then.
        public static func acceptDamage(
            _ options: Options,
            removing others: [String]
        ) async throws(StoreError) -> Outcome {
            let folder = try StateDirectory(options.directory)
            try finish(in: folder, file: options.file, removing: others)
            guard ([options.file] + others).contains(where: { DurableDatabase.hasDamagedLog(folder.path($0)) }) else {
                throw StoreError(.notFound, "no write-ahead log in \(folder.path) is damaged; nothing was changed")
            }
            let path = folder.path(options.file)
            return try await replace(options, removing: others, cause: .damageAccepted, path: path) {
                directory throws(StoreError) in
                for suffix in ["", "-wal"] where exists(options.file + suffix, directory) {
                    try copy(options.file + suffix, to: draft + suffix, directory)
                }
            }
        }

        private static func copy(_ name: String, to other: String, _ directory: StateDirectory) throws(StoreError) {
            let source = Glibc.open(directory.path(name), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
            guard source >= 0 else { throw .fromErrno(errno, "cannot read \(directory.path(name))") }
            defer { Glibc.close(source) }
            try directory.copy(from: source, to: other)
        }

        /// Reason for putting another store into place.
        private enum Cause {
            case restored
            case damageAccepted

            var event: AuditKind {
                switch self {
                case .restored: .storeRestored
                case .damageAccepted: .storeDamageAccepted
                }
            }

            var acceptsDamage: Bool {
                switch self {
                case .restored: false
                case .damageAccepted: true
                }
            }
        }

        private static func replace(
            _ options: Options,
            removing others: [String],
            cause: Cause,
            path: String,
            _ fillDraft: (StateDirectory) throws(StoreError) -> Void
        ) async throws(StoreError) -> Outcome {
            let directory = try StateDirectory(options.directory)
            try finish(in: directory, file: options.file, removing: others)
            let hasOld = exists(options.file, directory)
            if hasOld, exists(setAside, directory) {
                throw StoreError(
                    .conflict,
                    "\(directory.path(setAside)) is there from an earlier restore; move it away first"
                )
            }
            remove(draft, directory)
            let outcome: Outcome
            do throws(StoreError) {
                try fillDraft(directory)
                outcome = try await prepare(options, hasOld ? directory.path(setAside) : nil, cause)
            } catch {
                remove(draft, directory)
                throw StoreError(error.code, error.message.replacing(directory.path(draft), with: path))
            }
            try rename(draft, restored, directory)
            try finish(in: directory, file: options.file, removing: others)
            return outcome
        }

        /// Puts a restored store into place if a restore was interrupted after it was made; else does nothing.
        public static func finish(
            in directory: StateDirectory,
            file: String = "authority.sqlite",
            removing others: [String]
        ) throws(StoreError) {
            guard exists(restored, directory) else { return }
            // The log of the old store goes away with it: it must never be read into the new one.
            for suffix in suffixes where exists(file + suffix, directory) {
                try rename(file + suffix, setAside + suffix, directory)
            }
            for name in others { remove(name, directory) }
            try rename(restored, file, directory)
        }

        /// Brings a copy up to date and ends what was alive in it.
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
                throw StoreError(.corrupt, "\(copy.core.database.path) is damaged: \(faults[0])")
            }
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
                throw .fromErrno(errno, "cannot rename \(directory.path(old))")
            }
            try directory.synchronize()
        }
    }

    /// Ends sessions, families, flows, requests and mails; whoever has a token of them signs in anew.
    private func endEverything(
        event kind: AuditKind,
        spendsAttempts: Bool,
        setAside: String?
    ) async throws(StoreError) -> Restore.Outcome {
        let now = core.clock.now
        return try await core.database.write { db in
            let last = try db.number("SELECT max(seq) FROM audit")
            let families = try db.run(
                """
                UPDATE families SET revoked_at = :now, revoked_reason = 'restored' WHERE revoked_at IS NULL
                """,
                ["now": now.wall]
            )
            let sessions = try db.run("DELETE FROM sessions")
            for table in ["flows", "requests", "outbox", "sign_outs"] { try db.run("DELETE FROM \(table)") }
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
