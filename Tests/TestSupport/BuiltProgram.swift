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
    ///   - environment: The whole environment; `PATH` is added.
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
        if let libraries = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"] { all["LD_LIBRARY_PATH"] = libraries }
        return try RunningProgram(url, arguments, all)
    }
}

/// A program that runs; it is killed when this object goes.
public final class RunningProgram: Sendable {
    /// What it reads.
    public let input: FileHandle
    /// Its number.
    public var pid: Int32 { process.withLock { $0.processIdentifier } }

    private let process: Mutex<Process>
    private let ended = DispatchSemaphore(value: 0)
    private let outputFile: URL
    private let errorFile: URL
    private let folder: TemporaryFolder

    init(_ url: URL, _ arguments: [String], _ environment: [String: String]) throws {
        folder = try TemporaryFolder()
        outputFile = folder.url.appendingPathComponent("stdout")
        errorFile = folder.url.appendingPathComponent("stderr")
        for file in [outputFile, errorFile] { try Data().write(to: file) }
        let pipe = Pipe()
        input = pipe.fileHandleForWriting
        let process = Process()
        process.executableURL = url
        process.arguments = arguments
        process.environment = environment
        process.standardInput = pipe
        let files = [try FileHandle(forWritingTo: outputFile), try FileHandle(forWritingTo: errorFile)]
        process.standardOutput = files[0]
        process.standardError = files[1]
        process.terminationHandler = { [ended] _ in ended.signal() }
        try process.run()
        // Process keeps what it was given open here, too, and reads beyond its list of open files when they are many.
        for file in files + [pipe.fileHandleForReading] { try? file.close() }
        self.process = Mutex(process)
    }

    deinit {
        process.withLock { if $0.isRunning { kill($0.processIdentifier, SIGKILL) } }
    }

    /// Sends a signal.
    public func signal(_ number: Int32) {
        kill(pid, number)
    }

    /// Waits for its end, then kills it.
    ///
    /// - Returns: The exit status, or minus the signal that ended it.
    @discardableResult
    public func wait(within seconds: Int = 60) -> Int32 {
        if ended.wait(timeout: .now() + .seconds(seconds)) == .timedOut {
            kill(pid, SIGKILL)
            ended.wait()
        }
        ended.signal()
        try? input.close()
        return process.withLock { $0.terminationReason == .exit ? $0.terminationStatus : -$0.terminationStatus }
    }

    /// What it has printed so far.
    public func output() -> String { (try? String(contentsOf: outputFile, encoding: .utf8)) ?? "" }

    /// What it has complained so far.
    public func errors() -> String { (try? String(contentsOf: errorFile, encoding: .utf8)) ?? "" }
}
