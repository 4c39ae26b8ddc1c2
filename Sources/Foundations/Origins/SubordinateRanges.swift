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
    /// The last uid that is a person's (`UID_MAX` of login.defs(5)); a range that begins below names persons, such as `root:1000:1`.
    public static let lastUser: UInt32 = 60_000
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

    /// The result of a look-up of a user's name.
    enum UserLookUp: Hashable, Sendable {
        /// The user's uid.
        case uid(UInt32)
        /// No user has the name.
        case notFound
        /// The databases of users could not be read.
        case failed
    }

    private let path: String
    private let lookUp: @Sendable (String) -> UserLookUp
    private let state = Mutex(State())

    /// The ranges of a file.
    public convenience init(path: String) {
        self.init(path: path, lookUp: Self.uid)
    }

    /// The ranges of a file, with another look-up of its users.
    init(path: String, lookUp: @escaping @Sendable (String) -> UserLookUp) {
        self.path = path
        self.lookUp = lookUp
    }

    /// Returns the user to whom a subordinate uid belongs: a uid, or the ranges of a system user.
    ///
    /// - Returns: A name that is the same for all uids of a range's user; `nil` for a uid that is not subordinate.
    public func owner(of uid: UInt32) -> String? {
        guard uid >= Self.firstUser else { return nil }
        let found: (name: String, owner: String?, status: FileStatus?)? = state.withLock { state in
            reload(&state)
            guard let range = state.ranges.first(where: { $0.uids.contains(uid) }) else { return nil }
            return (range.owner, state.owners[range.owner], state.status)
        }
        guard let found else { return nil }
        if let owner = found.owner { return owner }
        // Without the lock: a look-up may ask a server of users.
        guard let owner = Self.name(of: found.name, lookUp) else { return Self.unknown(found.name) }
        state.withLock { state in
            if state.status == found.status { state.owners[found.name] = owner }
        }
        return owner
    }

    private func reload(_ state: inout State) {
        var status = try? FileStatus(path: path)
        // A symbolic link does not change with the file that it leads to.
        if status?.kind == .other { status = try? FileStatus(readable: path) }
        guard status != state.status else { return }
        state = State(status: status, ranges: status.map { _ in Self.ranges(in: Self.text(path)) } ?? [])
    }

    /// The uid of a user; the containers of a system user are not the system user.
    ///
    /// - Returns: `nil` if the user could not be looked up, which is tried again.
    private static func name(of owner: String, _ lookUp: (String) -> UserLookUp) -> String? {
        switch UInt32(owner).map(UserLookUp.uid) ?? lookUp(owner) {
        case .uid(let uid): uid >= firstUser ? String(uid) : "subordinate to \(uid)"
        case .notFound: unknown(owner)
        case .failed: nil
        }
    }

    /// The name of an owner without a uid.
    private static func unknown(_ owner: String) -> String { "named \(owner)" }

    @Sendable private static func uid(named name: String) -> UserLookUp {
        // The entry of a user in a directory may be longer than most; beyond 1 MiB something is wrong.
        var size = 4_096
        while size <= 1_048_576 {
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            var buffer = [CChar](repeating: 0, count: size)
            let code = getpwnam_r(name, &entry, &buffer, buffer.count, &found)
            if found != nil { return .uid(entry.pw_uid) }
            switch code {
            // The codes by which getpwnam(3) says that there is no such user.
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

    /// Reads `name:first:count`, a line each; a line of any other form is skipped, and so are uids of the system.
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
