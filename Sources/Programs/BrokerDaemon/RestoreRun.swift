import AuthorityStore
import Files
import FlowModel
import Foundation
import Glibc
import Moments
import ProgramConfiguration
import Storage

struct RestoreRun {
    let directory: String
    let paths: ProgramPaths

    /// Replaces the store with a backup (`tokenbrokerd --restore FILE`).
    func restore(from file: String) async throws(StartFailure) {
        // Opens the file as the user who runs the program, because the daemon's user may not be permitted to read it.
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

    /// Rebuilds stores from the readable part of damaged write-ahead logs (`tokenbrokerd --accept-damage`).
    func acceptDamage() async throws(StartFailure) {
        if access("\(directory)/authority.sqlite", F_OK) != 0, errno == ENOENT {
            throw StartFailure("There is no store in \(directory). Nothing was changed.", status: .failed)
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
        // If the state directory is new and the run fails, the state directory and its lock file are removed.
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
            try printLine("\(done)\t\(directory.path("authority.sqlite"))")
            try printLine("users\t\(outcome.users)")
            try printLine("lastEvent\t\(outcome.lastEvent)")
            if let old = outcome.setAside { try printLine("setAside\t\(old)") }
        } catch let error as StoreError where error.code == .inUse {
            throw StartFailure(
                .list([error.said.text, Text("failure.start.stopFirst")], .space),
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
