import Files
import Glibc
import Synchronization

/// The users to whom subordinate uids belong (subuid(5)): a user who starts containers has 65,536 uids.
///
/// The file is read again when it has changed. A file that cannot be read, or is too long, names no ranges.
public final class SubordinateRanges: Sendable {
    /// The ranges that callers are counted by: those of this machine, or of a test.
    @TaskLocal public static var current = SubordinateRanges(path: "/etc/subuid")

    /// The first uid that can belong to a person; no uid below it belongs to another user.
    public static let firstUser: UInt32 = 1000
    /// The longest file that is read, in bytes.
    public static let longest = 1_048_576
    /// The greatest number of ranges that are read.
    public static let mostRanges = 16_384

    private struct Range {
        let owner: String
        let uids: ClosedRange<UInt32>
    }

    private struct State {
        var status: FileStatus?
        var ranges: [Range] = []
        /// The owners that were looked up, by their names in the file.
        var owners: [String: String] = [:]
    }

    private let path: String
    private let state = Mutex(State())

    /// The ranges of a file.
    public init(path: String) {
        self.path = path
    }

    /// Returns the user to whom a subordinate uid belongs: a uid, or the ranges of a system user.
    ///
    /// - Returns: A name that is the same for all uids of a range's user; `nil` for a uid that is not subordinate.
    public func owner(of uid: UInt32) -> String? {
        guard uid >= Self.firstUser else { return nil }
        return state.withLock { state in
            reload(&state)
            guard let range = state.ranges.first(where: { $0.uids.contains(uid) }) else { return nil }
            if let known = state.owners[range.owner] { return known }
            let owner = Self.name(of: range.owner)
            state.owners[range.owner] = owner
            return owner
        }
    }

    private func reload(_ state: inout State) {
        var status = try? FileStatus(path: path)
        // A symbolic link does not change with the file that it leads to.
        if status?.kind == .other { status = try? FileStatus(readable: path) }
        guard status != state.status else { return }
        state = State(status: status, ranges: status.map { _ in Self.ranges(in: Self.text(path)) } ?? [])
    }

    /// The uid of a user; the containers of a system user are not the system user.
    private static func name(of owner: String) -> String {
        guard let uid = UInt32(owner) ?? uid(named: owner) else { return "named \(owner)" }
        return uid >= firstUser ? String(uid) : "subordinate to \(uid)"
    }

    private static func uid(named name: String) -> UInt32? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard getpwnam_r(name, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
        return entry.pw_uid
    }

    private static func text(_ path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: longest + 1)
        var count = 0
        while count < bytes.count {
            let more = bytes.withUnsafeMutableBytes { buffer in
                read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
            }
            if more < 0, errno == EINTR { continue }
            guard more > 0 else { break }
            count += more
        }
        return count > longest ? "" : String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// Reads `name:first:count`, a line each; a line of any other form is skipped, and so are uids of the system.
    private static func ranges(in text: String) -> [Range] {
        var ranges: [Range] = []
        for line in text.split(separator: "\n") where ranges.count < mostRanges {
            let parts = line.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 3, !parts[0].isEmpty, parts[0].utf8.count <= 256,
                let first = UInt32(parts[1]), let count = UInt32(parts[2]), count > 0, first >= firstUser
            else { continue }
            let (last, overflows) = first.addingReportingOverflow(count - 1)
            ranges.append(Range(owner: String(parts[0]), uids: first...(overflows ? .max : last)))
        }
        return ranges
    }
}
