import AuthorityStore
import Files
import FlowModel
import Foundation
import Glibc
import Moments
import ProgramConfiguration
import Storage

/// Puts another store into the place of the authority's, while no daemon has it.
struct RestoreRun {
    let directory: String
    let paths: ProgramPaths

    /// `tokenbrokerd --restore FILE`: makes a backup the store.
    func restore(from file: String) async throws(StartFailure) {
        // Opened as whoever calls, who may be able to read what the daemon's user is not.
        let source = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard source >= 0 else { throw StartFailure(.fromErrno(errno) { .cannotRead(file, why: $0) }) }
        defer { close(source) }
        guard (try? FileStatus(descriptor: source).kind) == .file else {
            throw StartFailure(StoreError(.unreadable, .notAFile(file)))
        }
        try await run("restored", sealed: file) { options throws(StoreError) in
            try await AuthorityStore.Restore.run(
                from: source,
                path: file,
                options,
                removing: Stores.endWithSessions,
                unless: Stores.isEmptied
            )
        }
    }

    /// `tokenbrokerd --accept-damage`: keeps what is readable of stores whose write-ahead logs are damaged.
    func acceptDamage() async throws(StartFailure) {
        if access("\(directory)/authority.sqlite", F_OK) != 0, errno == ENOENT {
            throw StartFailure("there is no store in \(directory); nothing was changed", status: .failed)
        }
        try await run("kept", sealed: "authority.sqlite") { options throws(StoreError) in
            try await AuthorityStore.Restore.acceptDamage(
                options,
                removing: Stores.endWithSessions,
                unless: Stores.isEmptied
            )
        }
    }

    private func run(
        _ done: String,
        sealed file: String,
        _ work: (AuthorityStore.Options) async throws(StoreError) -> AuthorityStore.Restore.Outcome
    ) async throws(StartFailure) {
        let encrypted = try StoreKeys.encryptedAuthority(paths, self.directory)
        let isNew = access(self.directory, F_OK) != 0
        var isDone = false
        // Files made for nothing are taken away: the folder, which has nothing but its lock then.
        defer {
            if isNew, !isDone {
                unlink("\(self.directory)/cache.sqlite.lock")
                rmdir(self.directory)
            }
        }
        do {
            try FolderOwner.become(of: directory)
            let directory = try StateDirectory(directory)
            let lock = try LockFile("cache.sqlite.lock", in: directory)
            let (key, keyPath) = try encrypted ?? StoreKeys.authority(paths, directory, sealed: file)
            let outcome: AuthorityStore.Restore.Outcome
            do {
                outcome = try await work(.init(directory: directory.path, key: key, clock: .system))
            } catch {
                throw StartFailure(error, key: keyPath, isOwn: false)
            }
            isDone = true
            withExtendedLifetime(lock) {}
            print("\(done)\t\(directory.path("authority.sqlite"))")
            print("users\t\(outcome.users)")
            print("lastEvent\t\(outcome.lastEvent)")
            if let old = outcome.setAside { print("setAside\t\(old)") }
        } catch let error as StoreError where error.code == .inUse {
            throw StartFailure(
                .list([error.said.text, Text("failure.start.stopFirst")], .semicolon),
                status: .tryLater
            )
        } catch let error as StoreError {
            throw StartFailure(error)
        } catch let error as StartFailure {
            throw error
        } catch {
            throw StartFailure("\(error)", status: .failed)
        }
    }
}
