import Foundation

/// The wall clock of one program, which can be set while it runs; the time since boot stays what it is, or is set with it.
///
/// `libfaketime` answers for the system's clock to whoever is started with it.
public struct WallClock: Sendable {
    /// Debian's package libfaketime is missing; `scripts/dependencies` names it.
    public struct Missing: Error {}

    private let file: String
    private let library: String
    private let movesBootClock: Bool

    /// The system's clock, until it is set.
    ///
    /// - Parameters:
    ///   - file: The file that says how far it is from the system's.
    ///   - movesBootClock: True if the program's time since boot is set, too; its timers may then never end.
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

    /// Starts a program that goes by this clock.
    ///
    /// The library adds to the environment of the first program that it is loaded into, and a Swift program that it does
    /// that to no longer finds its arguments; so a shell is the first.
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

    /// Removes what the library leaves behind where a program takes the place of the one that it was loaded into.
    public func tidy(after program: RunningProgram) {
        for name in ["faketime_shm_", "sem.faketime_sem_"] { unlink("/dev/shm/\(name)\(program.pid)") }
    }

    /// Sets the clock so many minutes from the system's.
    public func set(by minutes: Int) throws {
        let text = minutes < 0 ? "\(minutes)m" : "+\(minutes)m"
        // In one piece, so that no reader finds half of it.
        try Data(text.utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
    }
}
