import Files
import Glibc
import OAuth
import Storage

/// The runs of the program over one store: each holds a lock, by which the others see that it has not ended.
final class LiveRuns: Sendable {
    private static let file = "flows.runs"

    /// The id of this run.
    let own = CorrelationID.random().description
    private let path: String
    private let descriptor: CInt

    /// Takes the lock of a new run; without one it counts as ended for the others.
    init(_ directory: StateDirectory) {
        path = directory.path(Self.file)
        _ = try? directory.preparePrivateFile(Self.file)
        descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        if descriptor >= 0 { _ = FileLock.take(descriptor, from: Self.place(own), count: 1) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// True for a run that has not ended.
    func contains(_ run: String) -> Bool {
        if run == own { return true }
        let other = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard other >= 0 else { return false }
        defer { close(other) }
        return !FileLock.take(other, from: Self.place(run), count: 1)
    }

    /// The byte of the file that a run locks; no two runs have the same, but by chance (FNV-1a of 62 bits).
    private static func place(_ run: String) -> Int64 {
        let digest = run.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return Int64(digest >> 2)
    }
}
