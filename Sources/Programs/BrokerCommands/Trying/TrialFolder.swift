import FlowModel
import Foundation
import Glibc
import Synchronization
import Terminal

/// The folder of a trial, which nobody else can look into, with everything that the trial keeps.
///
/// A shell of its own watches over it: when this program has ended, by whatever signal, it ends the daemon and removes the
/// folder, if that is still there.
final class TrialFolder: Sendable {
    /// The folder; short, since the path of a socket has at most 107 bytes.
    let path: String
    /// The folder of policies.
    let policies: String
    private let watch: Pipe
    private let isRemoved = Atomic(false)

    /// Makes the folder (0700), and begins to watch over it.
    ///
    /// - Parameter levels: The number of folders around that of the policies, for files that they name there.
    /// - Throws: A `CommandFailure` if no folder can be made.
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

    /// The state directory.
    var state: String { path + "/state" }
    /// The home of the daemon.
    var home: String { path + "/home" }
    /// The broker's socket.
    var socket: String { path + "/tokenbroker.sock" }
    /// The configuration of the daemon.
    var configuration: String { path + "/tokenbrokerd.yaml" }
    /// The log of the daemon.
    var log: String { path + "/log" }
    /// The folder of the mails that went out.
    var outbox: String { state + "/outbox" }

    /// Has the daemon ended with the folder.
    func watch(over daemon: pid_t) {
        try? watch.fileHandleForWriting.write(contentsOf: Data("\(daemon)\n".utf8))
    }

    /// Removes the folder with everything in it; the daemon has ended.
    func remove() {
        guard !isRemoved.exchange(true, ordering: .relaxed) else { return }
        try? FileManager.default.removeItem(atPath: path)
        try? watch.fileHandleForWriting.close()
    }

    /// Starts the shell; its input ends with this program, whose other children must not hold it open.
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
