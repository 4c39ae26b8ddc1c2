import Files
import FlowModel
import Foundation
import OAuth
import ProgramConfiguration
import Storage

/// The keys that encrypt the stores, read from systemd credentials or the user's files.
struct StoreKeys {
    let authority: Secret
    let authorityPath: String
    let cache: Secret
    let cachePath: String

    /// Reads both keys, and creates a missing key if its store does not exist either.
    init(paths: ProgramPaths, directory: StateDirectory) throws(StartFailure) {
        (authority, authorityPath) = try Self.load(
            "authority-key",
            paths.authorityKey(stateDirectory: directory.path),
            store: "authority.sqlite",
            directory
        )
        (cache, cachePath) = try Self.load(
            "cache-key",
            paths.cacheKey(stateDirectory: directory.path),
            store: "cache.sqlite",
            directory
        )
    }

    /// Reads the authority key, which must exist because `file` is encrypted with it.
    static func authority(
        _ paths: ProgramPaths,
        _ directory: StateDirectory,
        sealed file: String
    ) throws(StartFailure) -> (Secret, String) {
        let candidates = paths.authorityKey(stateDirectory: directory.path).candidates
        guard let path = candidates.first(where: FileManager.default.fileExists(atPath:)) else {
            throw StartFailure(Text("failure.start.keyMissing", ["places": Text.or(candidates), "file": file]))
        }
        do {
            return (try read(path), path)
        } catch {
            throw StartFailure(error, key: path)
        }
    }

    /// Decrypts the service's authority key, which systemd encrypted with the host's key.
    ///
    /// Returns `nil` if this process is not root, if an unencrypted key exists, or if no encrypted key exists.
    static func encryptedAuthority(_ paths: ProgramPaths, _ directory: String) throws(StartFailure) -> (Secret, String)?
    {
        let isElsewhere = paths.authorityKey(stateDirectory: directory).candidates
            .contains(where: FileManager.default.fileExists(atPath:))
        guard geteuid() == 0, !isElsewhere, let path = paths.encryptedAuthorityKey(stateDirectory: directory) else {
            return nil
        }
        let program = Process()
        let (output, errors) = (Pipe(), Pipe())
        program.executableURL = URL(fileURLWithPath: "/usr/bin/systemd-creds")
        program.arguments = ["decrypt", "--name=authority-key", path, "-"]
        program.environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C"]
        program.standardInput = FileHandle.nullDevice
        program.standardOutput = output
        program.standardError = errors
        do {
            try program.run()
        } catch {
            throw StartFailure(Text("failure.start.decryptorMissing", ["path": path, "reason": "\(error)"]))
        }
        let key = output.fileHandleForReading.readDataToEndOfFile()
        let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        program.waitUntilExit()
        guard program.terminationReason == .exit, program.terminationStatus == 0 else {
            let reason = complaint.trimmingCharacters(in: .whitespacesAndNewlines)
            throw StartFailure(Text("failure.start.notDecrypted", ["path": path, "reason": reason]))
        }
        do {
            return (try Storage.KeyFile.parse(key, path: path), path)
        } catch {
            throw StartFailure(error, key: path)
        }
    }

    private static func load(
        _ name: String,
        _ file: ProgramConfiguration.KeyFile,
        store: String,
        _ directory: StateDirectory
    ) throws(StartFailure) -> (Secret, String) {
        do {
            if let path = file.candidates.first(where: FileManager.default.fileExists(atPath:)) {
                return (try read(path), path)
            }
            let isNew = !FileManager.default.fileExists(atPath: directory.path(store))
            if isNew, let path = file.created, let key = try Storage.KeyFile.load(name, in: directory, make: true) {
                return (key, path)
            }
        } catch {
            throw StartFailure(error, key: file.candidates.joined(separator: " or "))
        }
        let paths = file.candidates.joined(separator: " or ")
        guard FileManager.default.fileExists(atPath: directory.path(store)) else {
            throw StartFailure("\(name) is not at \(paths). Create the key there, or correct the path.")
        }
        throw StartFailure(
            "\(name) is not at \(paths), and \(directory.path(store)) is encrypted with it. Restore the key, "
                + "or move the store away to start over."
        )
    }

    private static func read(_ path: String) throws(StoreError) -> Secret {
        let status: FileStatus
        do {
            status = try FileStatus(path: path)
        } catch {
            throw .fromErrno(error.errno) { .cannotRead(path, why: $0) }
        }
        guard status.kind == .file else { throw StoreError(.unreadable, .notAFile(path)) }
        guard status.owner == geteuid() || status.owner == 0 else {
            throw StoreError(.permissions, .foreignOwner(path, owner: status.owner, uid: geteuid()))
        }
        guard !status.isOpenToOthers else {
            throw StoreError(.permissions, .openFile(path))
        }
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw StoreError(.unreadable, "Cannot read \(path)")
        }
        return try Storage.KeyFile.parse(bytes, path: path)
    }
}
