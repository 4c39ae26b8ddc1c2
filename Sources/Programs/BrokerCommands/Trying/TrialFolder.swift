import FlowModel
import Foundation
import Glibc
import Synchronization
import Terminal

/// The private folder with a trial's files.
///
/// When this program ends, a shell kills the daemon and removes the folder.
final class TrialFolder: Sendable {
    /// The folder's path, which is short because a socket's path can be at most 107 bytes long.
    let path: String
    let policies: String
    private let watch: Pipe
    private let isRemoved = Atomic(false)

    /// Creates the folder with mode 0700, and starts the shell that later removes it.
    ///
    /// The policies are nested in `levels` folders, because they can refer to files in parent folders.
    init(around levels: Int) throws {
        let base = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        let place = (base.utf8.count > 60 ? "/tmp" : base) + "/tokenbroker-try-"
        var template = Array((place + String(repeating: "X", count: 6)).utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CommandFailure(
                .failed,
                "no_folder",
                Text("cli.trial.noFolder", ["reason": String(cString: strerror(errno))])
            )
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        policies = path + "/policies" + String(repeating: "/within", count: levels)
        watch = Pipe()
        do {
            for place in [policies, state, home] {
                try FileManager.default.createDirectory(
                    atPath: place,
                    withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700]
                )
            }
            try begin()
        } catch {
            try? FileManager.default.removeItem(atPath: path)
            throw error
        }
    }

    var state: String { path + "/state" }
    var home: String { path + "/home" }
    var socket: String { path + "/tokenbroker.sock" }
    var configuration: String { path + "/tokenbrokerd.yaml" }
    var log: String { path + "/log" }
    var outbox: String { state + "/outbox" }

    func watch(over daemon: pid_t) {
        try? watch.fileHandleForWriting.write(contentsOf: Data("\(daemon)\n".utf8))
    }

    /// Removes the folder after the daemon has ended.
    func remove() {
        guard !isRemoved.exchange(true, ordering: .relaxed) else { return }
        try? FileManager.default.removeItem(atPath: path)
        try? watch.fileHandleForWriting.close()
    }

    /// Starts the shell, which reads a pipe in order to notice that this program has ended.
    ///
    /// No other child process may inherit the pipe's writing end, because that would keep the pipe open.
    private func begin() throws {
        _ = fcntl(watch.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", Self.script, "tokenbroker-try", path]
        shell.environment = ["PATH": "/usr/bin:/bin"]
        shell.currentDirectoryURL = URL(fileURLWithPath: "/")
        shell.standardInput = watch
        shell.standardOutput = FileHandle.nullDevice
        shell.standardError = FileHandle.nullDevice
        try shell.run()
    }

    private static let script = """
        trap '' HUP INT QUIT TERM
        daemon=
        while read -r line; do daemon=$line; done
        [ -d "$1" ] || exit 0
        [ -n "$daemon" ] && kill -KILL "$daemon"
        tries=0
        until rm -rf -- "$1" || [ "$tries" -ge 100 ]; do tries=$((tries + 1)); sleep 0.1; done
        """
}
