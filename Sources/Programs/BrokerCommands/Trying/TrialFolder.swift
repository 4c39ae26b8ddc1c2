import FlowModel
import Foundation
import Glibc
import Synchronization
import Terminal

/// A trial's private folder, which contains all of its files.
///
/// A shell process watches this program. When the program ends for any reason, the shell ends the daemon and removes
/// the folder if it still exists.
final class TrialFolder: Sendable {
    /// The path of the folder.
    ///
    /// The path is short, because a socket's path can have at most 107 bytes.
    let path: String
    /// The folder of policies.
    let policies: String
    private let watch: Pipe
    private let isRemoved = Atomic(false)

    /// Creates the folder with mode 0700, and starts the watching shell.
    ///
    /// - Parameter levels: The number of parent folders to create above the policies folder, for relative paths in
    ///   policies.
    /// - Throws: A `CommandFailure` if the folder cannot be created.
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

    /// The state directory of the daemon.
    var state: String { path + "/state" }
    /// The home directory of the daemon.
    var home: String { path + "/home" }
    /// The broker socket.
    var socket: String { path + "/tokenbroker.sock" }
    /// The configuration file of the daemon.
    var configuration: String { path + "/tokenbrokerd.yaml" }
    /// The log file of the daemon.
    var log: String { path + "/log" }
    /// The folder into which the daemon writes messages.
    var outbox: String { state + "/outbox" }

    /// Tells the shell to end this daemon, too, when this program ends.
    func watch(over daemon: pid_t) {
        try? watch.fileHandleForWriting.write(contentsOf: Data("\(daemon)\n".utf8))
    }

    /// Removes the folder with its content.
    ///
    /// The daemon must have ended.
    func remove() {
        guard !isRemoved.exchange(true, ordering: .relaxed) else { return }
        try? FileManager.default.removeItem(atPath: path)
        try? watch.fileHandleForWriting.close()
    }

    /// Starts the shell.
    ///
    /// The shell detects the end of this program by the end of its input, so no other child process may inherit the
    /// pipe.
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
