import Foundation

/// The wall clock of a program, which a test can set while the program runs.
///
/// The time since boot does not change, or is set as well. `libfaketime` replaces the system clock of the programs
/// started with it.
public struct WallClock: Sendable {
    /// The error for the missing Debian package libfaketime, which `scripts/dependencies` lists.
    public struct Missing: Error {}

    private let file: String
    private let library: String
    private let movesBootClock: Bool

    /// Creates a clock that follows the system clock until it is set.
    ///
    /// - Parameters:
    ///   - file: The file that contains the offset from the system clock.
    ///   - movesBootClock: Whether to set the program's time since boot too. Its timers may then never fire.
    /// - Throws: ``Missing``.
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
    /// The library changes the environment of the first program that it is loaded into, after which a Swift program no
    /// longer finds its arguments. The first program is therefore a shell.
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

    /// Removes what the library leaves behind when another program replaces the first one.
    public func tidy(after program: RunningProgram) {
        for name in ["faketime_shm_", "sem.faketime_sem_"] { unlink("/dev/shm/\(name)\(program.pid)") }
    }

    /// Sets the clock to an offset from the system clock, in minutes.
    public func set(by minutes: Int) throws {
        let text = minutes < 0 ? "\(minutes)m" : "+\(minutes)m"
        // Written atomically, so that no reader sees half of it.
        try Data(text.utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
    }
}
