import Files
import Glibc
import Synchronization

/// The ranges of subordinate uids and their owners, read from a file such as `/etc/subuid` (subuid(5)).
///
/// The file is reloaded when it changes. If the file is unreadable or too long, there are no ranges.
public final class SubordinateRanges: Sendable {
    /// The ranges of this machine, which tests replace.
    @TaskLocal public static var current = SubordinateRanges(path: "/etc/subuid")

    /// The lowest uid of regular users, below which no uid counts as subordinate.
    public static let firstUser: UInt32 = 1000
    /// The highest uid of regular users (`UID_MAX` in login.defs(5)); ranges that begin at or below it are ignored.
    public static let lastUser: UInt32 = 60_000
    /// The maximum length of the file that defines the ranges, in bytes.
    public static let longest = 1_048_576
    /// The maximum number of ranges that are read from the file.
    public static let mostRanges = 16_384

    private struct Range {
        let owner: String
        let uids: ClosedRange<UInt32>
    }

    private struct State {
        var status: FileStatus?
        var ranges: [Range] = []
        /// The results of earlier lookups, keyed by the owner's name in the file.
        var owners: [String: String] = [:]
    }

    enum UserLookUp: Hashable, Sendable {
        case uid(UInt32)
        case notFound
        case failed
    }

    private let path: String
    private let lookUp: @Sendable (String) -> UserLookUp
    private let state = Mutex(State())

    /// Creates the ranges in a file, which is read on first use.
    public convenience init(path: String) {
        self.init(path: path, lookUp: Self.uid)
    }

    init(path: String, lookUp: @escaping @Sendable (String) -> UserLookUp) {
        self.path = path
        self.lookUp = lookUp
    }

    /// Returns the name under which the usage of a subordinate uid's owner is counted, or `nil` for any other uid.
    public func owner(of uid: UInt32) -> String? {
        guard uid >= Self.firstUser else { return nil }
        let found: (name: String, owner: String?, status: FileStatus?)? = state.withLock { state in
            reload(&state)
            guard let range = state.ranges.first(where: { $0.uids.contains(uid) }) else { return nil }
            return (range.owner, state.owners[range.owner], state.status)
        }
        guard let found else { return nil }
        if let owner = found.owner { return owner }
        // This lookup runs without the lock, because it may query a directory server.
        guard let owner = Self.name(of: found.name, lookUp) else { return Self.unknown(found.name) }
        state.withLock { state in
            if state.status == found.status { state.owners[found.name] = owner }
        }
        return owner
    }

    private func reload(_ state: inout State) {
        var status = try? FileStatus(path: path)
        // The status of a symbolic link does not change with its target, so use the status of the target.
        if status?.kind == .other { status = try? FileStatus(readable: path) }
        guard status != state.status else { return }
        state = State(status: status, ranges: status.map { _ in Self.ranges(in: Self.text(path)) } ?? [])
    }

    /// Returns the name under which an owner's usage is counted, or `nil` if the lookup must be retried.
    ///
    /// For a system user, the name differs from the user's uid, so that containers do not use up the limits of the
    /// system user itself.
    private static func name(of owner: String, _ lookUp: (String) -> UserLookUp) -> String? {
        switch UInt32(owner).map(UserLookUp.uid) ?? lookUp(owner) {
        case .uid(let uid): uid >= firstUser ? String(uid) : "subordinate to \(uid)"
        case .notFound: unknown(owner)
        case .failed: nil
        }
    }

    private static func unknown(_ owner: String) -> String { "named \(owner)" }

    @Sendable private static func uid(named name: String) -> UserLookUp {
        var size = 4_096
        while size <= 1_048_576 {
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            var buffer = [CChar](repeating: 0, count: size)
            let code = getpwnam_r(name, &entry, &buffer, buffer.count, &found)
            if found != nil { return .uid(entry.pw_uid) }
            switch code {
            // With these codes, `getpwnam_r` reports that the user does not exist (getpwnam(3)).
            case 0, ENOENT, ESRCH, EBADF, EPERM: return .notFound
            case ERANGE: size *= 4
            case EINTR: continue
            default: return .failed
            }
        }
        return .failed
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

    /// Parses lines of the form `name:first:count`.
    ///
    /// Malformed lines are skipped, and so are ranges whose first uid is not above ``lastUser``.
    private static func ranges(in text: String) -> [Range] {
        var ranges: [Range] = []
        for line in text.split(separator: "\n") where ranges.count < mostRanges {
            let parts = line.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 3, !parts[0].isEmpty, parts[0].utf8.count <= 256,
                let first = UInt32(parts[1]), let count = UInt32(parts[2]), count > 0, first > lastUser
            else { continue }
            let (last, overflows) = first.addingReportingOverflow(count - 1)
            ranges.append(Range(owner: String(parts[0]), uids: first...(overflows ? .max : last)))
        }
        return ranges
    }
}
