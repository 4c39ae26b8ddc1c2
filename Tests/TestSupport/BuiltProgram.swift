public import Foundation
import Glibc
import Synchronization

/// One of the programs of this package, as it was built beside the tests.
public struct BuiltProgram: Sendable {
    /// The file.
    public let url: URL

    /// The program of that name.
    public init(_ name: String) {
        url = Self.folder.appendingPathComponent(name)
    }

    /// The folder of the programs and of the tests, with a link for each name that the one executable goes by.
    ///
    /// `swift build` makes no links, and `swift test` alone shall be enough.
    private static let folder: URL = {
        let runner = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let folder = runner.deletingLastPathComponent()
        for name in ["tokenbrokerd", "tasksd", "tasks"] { link(name, in: folder.path) }
        return folder
    }()

    /// The variables of the tests' own environment that every program gets: where its libraries are, and which fault of
    /// `scripts/plant-faults` is switched on.
    private static let inherited = ["LD_LIBRARY_PATH", "PLANTED"]

    /// Puts a link in the place of whatever has the name, by a rename: tests of another run may be using it.
    private static func link(_ name: String, in folder: String) {
        let new = "\(folder)/.\(name).\(getpid())"
        unlink(new)
        guard symlink("tokenbroker-programs", new) == 0, rename(new, "\(folder)/\(name)") == 0 else {
            preconditionFailure("\(folder)/\(name) cannot be linked: \(String(cString: strerror(errno)))")
        }
    }

    /// A program of the system, which may start one of these.
    public init(path: String) {
        url = URL(fileURLWithPath: path)
    }

    /// How a run ended.
    public struct Outcome: Sendable {
        /// The exit status, or minus the signal.
        public let status: Int32
        /// What it printed.
        public let output: String
        /// What it complained.
        public let errors: String
    }

    /// Runs the program to its end.
    ///
    /// - Parameters:
    ///   - arguments: What follows the name.
    ///   - input: What it reads.
    ///   - environment: The whole environment; `PATH` and what every program inherits from the tests are added.
    ///   - seconds: After which it is killed.
    /// - Returns: Status and what was written.
    /// - Throws: Where the program cannot be started.
    public func run(
        _ arguments: [String],
        input: String = "",
        environment: [String: String] = [:],
        within seconds: Int = 60
    ) throws -> Outcome {
        let process = try start(arguments, environment: environment)
        process.input.write(Data(input.utf8))
        try? process.input.close()
        let status = process.wait(within: seconds)
        return Outcome(status: status, output: process.output(), errors: process.errors())
    }

    /// Runs the program to its end with its stdout redirected, as a shell has it: `>/dev/full`, `>&-`.
    public func run(_ arguments: [String], stdout: String, environment: [String: String] = [:]) throws -> Outcome {
        try BuiltProgram(path: "/bin/sh").run(
            ["-c", "exec \"$0\" \"$@\" \(stdout)", url.path] + arguments,
            environment: environment
        )
    }

    /// Starts the program and lets it run.
    public func start(
        _ arguments: [String],
        environment: [String: String] = [:]
    ) throws -> RunningProgram {
        var all = environment
        all["PATH"] = all["PATH"] ?? "/usr/bin:/bin"
        let own = ProcessInfo.processInfo.environment
        for name in Self.inherited { all[name] = own[name] ?? all[name] }
        return try RunningProgram(url, arguments, all)
    }
}

/// A program that runs; it is killed when this object goes.
///
/// Spawned and waited for without Foundation's `Process`, which learns of an end by a descriptor that other children may
/// hold, and then waits for these, too.
public final class RunningProgram: Sendable {
    /// What it reads.
    public let input: FileHandle
    /// Its number.
    public let pid: Int32

    private let end: ProgramEnd
    private let outputFile: URL
    private let errorFile: URL
    private let folder: TemporaryFolder

    init(_ url: URL, _ arguments: [String], _ environment: [String: String]) throws {
        folder = try TemporaryFolder()
        outputFile = folder.url.appendingPathComponent("stdout")
        errorFile = folder.url.appendingPathComponent("stderr")
        let pipe = Pipe()
        input = pipe.fileHandleForWriting
        let reader = pipe.fileHandleForReading
        defer { try? reader.close() }
        let files = (reader.fileDescriptor, outputFile.path, errorFile.path)
        pid = try Self.spawn(url.path, arguments, environment, files: files)
        end = ProgramEnd(pid)
    }

    deinit {
        end.signal(SIGKILL)
    }

    /// Starts the program in a process group of its own, with no descriptors but the three that every program has.
    private static func spawn(
        _ path: String,
        _ arguments: [String],
        _ environment: [String: String],
        files: (input: Int32, output: String, errors: String)
    ) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, files.input, STDIN_FILENO)
        for (number, file) in [(STDOUT_FILENO, files.output), (STDERR_FILENO, files.errors)] {
            posix_spawn_file_actions_addopen(&actions, number, file, O_WRONLY | O_CREAT, 0o600)
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            guard let number = Int32(name), number > STDERR_FILENO else { continue }
            posix_spawn_file_actions_addclose(&actions, number)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var pid: pid_t = 0
        let result = posix_spawn(&pid, path, &actions, &attributes, &words, &variables)
        guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: result) ?? .ENOENT) }
        return pid
    }

    /// Sends a signal.
    public func signal(_ number: Int32) {
        end.signal(number)
    }

    /// Waits for its end, then kills it.
    ///
    /// - Returns: The exit status, or minus the signal that ended it.
    @discardableResult
    public func wait(within seconds: Int = 60) -> Int32 {
        var status = end.wait(within: seconds)
        if status == nil {
            end.signal(SIGKILL)
            status = end.wait(within: 30)
        }
        try? input.close()
        return status ?? -SIGKILL
    }

    /// What it has printed so far.
    public func output() -> String { (try? String(contentsOf: outputFile, encoding: .utf8)) ?? "" }

    /// What it has complained so far.
    public func errors() -> String { (try? String(contentsOf: errorFile, encoding: .utf8)) ?? "" }

    /// The log of a daemon that listens, for checks of what does not stand there: in an empty text nothing does.
    ///
    /// - Throws: ``WaitedInVain`` where the log does not even say where the daemon listens.
    public func log() throws -> String {
        try blockUntil("the log of \(pid) has a line") { errors().contains("listening") }
        return errors()
    }
}

/// The end of a process, which a thread of its own waits for.
private final class ProgramEnd: Sendable {
    private let pid: Int32
    private let status = Mutex<Int32?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    init(_ pid: Int32) {
        self.pid = pid
        Thread.detachNewThread { [self] in
            // Looked at before it is taken away, so that no signal meets another process of the same number.
            var information = siginfo_t()
            while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
            status.withLock { status in
                var word: Int32 = 0
                while waitpid(pid, &word, 0) < 0 && errno == EINTR {}
                let number = word & 0x7f
                status = number == 0 ? (word >> 8) & 0xff : -number
            }
            ended.signal()
        }
    }

    /// Sends a signal, where the process has not ended.
    func signal(_ number: Int32) {
        status.withLock { if $0 == nil { kill(pid, number) } }
    }

    /// The exit status, or minus the signal; nil where it has not ended in time.
    func wait(within seconds: Int) -> Int32? {
        guard ended.wait(timeout: .now() + .seconds(seconds)) == .success else { return nil }
        ended.signal()
        return status.withLock { $0 }
    }
}
