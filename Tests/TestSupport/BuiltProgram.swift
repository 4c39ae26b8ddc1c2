public import Foundation
import Glibc
import Synchronization

/// An executable that tests run, usually a program of this package.
public struct BuiltProgram: Sendable {
    /// The path of the executable.
    public let url: URL

    /// Creates a reference to a program of this package by its name.
    public init(_ name: String) {
        url = Self.folder.appendingPathComponent(name)
    }

    /// The folder that contains the built tests and the programs of this package.
    ///
    /// The programs are links to one executable. `swift build` does not create these links, so they are created here.
    private static let folder: URL = {
        let runner = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let folder = runner.deletingLastPathComponent()
        for name in ["tokenbrokerd", "tasksd", "tasks"] { link(name, in: folder.path) }
        return folder
    }()

    /// The environment variables that every program inherits from the tests.
    ///
    /// `PLANTED` selects the active fault of `scripts/plant-faults`.
    private static let inherited = ["LD_LIBRARY_PATH", "PLANTED"]

    /// Creates a link to the executable that contains all programs.
    ///
    /// A rename replaces an existing link, because another test run may be using that link.
    private static func link(_ name: String, in folder: String) {
        let new = "\(folder)/.\(name).\(getpid())"
        unlink(new)
        guard symlink("tokenbroker-programs", new) == 0, rename(new, "\(folder)/\(name)") == 0 else {
            preconditionFailure("\(folder)/\(name) cannot be linked: \(String(cString: strerror(errno)))")
        }
    }

    /// Creates a reference to a system program, which may start one of this package's programs.
    public init(path: String) {
        url = URL(fileURLWithPath: path)
    }

    /// The result of a run.
    public struct Outcome: Sendable {
        /// The exit status, or the negated number of the signal that ended the program.
        public let status: Int32
        /// The standard output.
        public let output: String
        /// The standard error.
        public let errors: String
    }

    /// Runs the program to completion.
    ///
    /// - Parameters:
    ///   - arguments: The arguments after the program name.
    ///   - input: The standard input.
    ///   - environment: The environment, in addition to `PATH` and the variables inherited from the tests.
    ///   - seconds: The time after which the program is killed.
    /// - Returns: The status and the output.
    /// - Throws: An error if the program cannot be started.
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

    /// Runs the program to completion with its standard output redirected by a shell.
    ///
    /// `stdout` is a shell redirection, such as `>/dev/full` or `>&-`.
    public func run(_ arguments: [String], stdout: String, environment: [String: String] = [:]) throws -> Outcome {
        try BuiltProgram(path: "/bin/sh").run(
            ["-c", "exec \"$0\" \"$@\" \(stdout)", url.path] + arguments,
            environment: environment
        )
    }

    /// Starts the program without waiting for it to exit.
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

/// A running program.
///
/// The program is killed when this object is deallocated.
///
/// This class does not use Foundation's `Process`, which detects the exit through a descriptor that child processes may
/// still hold. `Process` therefore waits for those child processes too.
public final class RunningProgram: Sendable {
    /// The pipe to the program's standard input.
    public let input: FileHandle
    /// The process id.
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

    /// Starts the program in its own process group, with only the three standard descriptors.
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

    /// Waits for the program to end, and kills it after the time limit.
    ///
    /// - Returns: The exit status, or the negated number of the signal that ended the program.
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

    /// Returns the standard output so far.
    public func output() -> String { (try? String(contentsOf: outputFile, encoding: .utf8)) ?? "" }

    /// Returns the standard error so far.
    public func errors() -> String { (try? String(contentsOf: errorFile, encoding: .utf8)) ?? "" }

    /// Waits until a daemon has logged that it is listening, and returns its log.
    ///
    /// Without this wait, a test that the log does not contain a given string could pass merely because the log is empty.
    ///
    /// - Throws: ``WaitedInVain`` if the daemon does not report in time that it is listening.
    public func log() throws -> String {
        try blockUntil("the log of \(pid) has a line") { errors().contains("listening") }
        return errors()
    }
}

/// Waits on a separate thread for a process to end.
private final class ProgramEnd: Sendable {
    private let pid: Int32
    private let status = Mutex<Int32?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    init(_ pid: Int32) {
        self.pid = pid
        Thread.detachNewThread { [self] in
            // This call does not reap the process. The process is reaped only while `status` is locked, so that no
            // signal reaches another process with the same id.
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

    /// Sends a signal unless the process has ended.
    func signal(_ number: Int32) {
        status.withLock { if $0 == nil { kill(pid, number) } }
    }

    /// Returns the exit status or the negated signal number, or `nil` if the process has not ended in time.
    func wait(within seconds: Int) -> Int32? {
        guard ended.wait(timeout: .now() + .seconds(seconds)) == .success else { return nil }
        ended.signal()
        return status.withLock { $0 }
    }
}
