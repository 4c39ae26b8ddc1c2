import Foundation

/// The wall clock of a program, which a test can set while the program runs.
///
/// `libfaketime` replaces the system clock of the programs that are started with this clock. The time since boot
/// changes only if the clock is created with `movesBootClock`.
public struct WallClock: Sendable {
    /// The error that is thrown if the Debian package libfaketime is not installed.
    ///
    /// `scripts/dependencies` lists the package.
    public struct Missing: Error {}

    private let file: String
    private let library: String
    private let movesBootClock: Bool

    /// Creates a clock that follows the system clock until it is set.
    ///
    /// - Parameters:
    ///   - file: The file that contains the offset from the system clock.
    ///   - movesBootClock: Whether to set the program's time since boot too. The program's timers may then never fire.
    /// - Throws: ``Missing`` if libfaketime is not installed.
    public init(file: String, movesBootClock: Bool = false) throws {
        self.file = file
        self.movesBootClock = movesBootClock
        let folders = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib").sorted()
        let libraries = folders.map { "/usr/lib/\($0)/faketime/libfaketimeMT.so.1" }
        guard let library = libraries.first(where: { FileManager.default.fileExists(atPath: $0) }) else {
            throw Missing()
        }
        self.library = library
        try set(by: 0)
    }

    /// Starts a program with this clock.
    ///
    /// libfaketime changes the environment of the first program into which it is loaded. A Swift program would then no
    /// longer find its arguments, so the first program is a shell.
    public func start(
        _ program: BuiltProgram,
        _ arguments: [String],
        _ environment: [String: String]
    ) throws -> RunningProgram {
        let own = [
            "LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": file, "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": movesBootClock ? "0" : "1",
        ]
        return try BuiltProgram(path: "/bin/sh").start(
            ["-c", "exec \"$@\"", "sh", program.url.path] + arguments,
            environment: environment.merging(own) { $1 }
        )
    }

    /// Removes the shared memory that libfaketime leaves behind when the program replaces the shell.
    public func tidy(after program: RunningProgram) {
        for name in ["faketime_shm_", "sem.faketime_sem_"] { unlink("/dev/shm/\(name)\(program.pid)") }
    }

    /// Sets the clock to an offset from the system clock, in minutes.
    public func set(by minutes: Int) throws {
        let text = minutes < 0 ? "\(minutes)m" : "+\(minutes)m"
        // The file is written atomically, so that no program reads an incomplete offset.
        try Data(text.utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
    }
}
