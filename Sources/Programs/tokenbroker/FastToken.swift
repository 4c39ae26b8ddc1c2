import Files
import Glibc

/// Runs the common forms of the command `tokenbroker token` by printing a token from the daemon's cache.
enum FastToken {
    /// The maximum size of a response, in bytes.
    private static let answerLimit = 65_536
    /// The maximum time to wait for the daemon, in milliseconds, before the full command runs instead.
    private static let patience: Int32 = 2000

    /// Prints the token if the daemon returns it without a prompt.
    ///
    /// Returns 0, an `errno` if printing failed, or `nil` if nothing was printed because there is no token.
    static func printed(_ arguments: [String]) -> Int32? {
        guard let call = FastTokenCall(arguments), let descriptor = connected(call.socket) else { return nil }
        defer { close(descriptor) }
        guard StandardStreams.write(call.request, to: descriptor) == 0, let answer = line(descriptor),
            let token = token(in: answer)
        else { return nil }
        let prefix = call.asHeader ? Array("Authorization: Bearer ".utf8) : []
        do throws(FileError) {
            try StandardStreams.print(prefix + token + [0x0A])
            return 0
        } catch {
            return error.errno
        }
    }

    /// Connects to the specified socket, or to the first default socket that has a trusted listener.
    private static func connected(_ named: String?) -> Int32? {
        let path = named ?? variable("TOKENBROKER_SOCKET")
        let directory = variable("XDG_RUNTIME_DIR")
        let paths = path.map { [$0] } ?? BrokerSocketPath.all(runtimeDirectory: directory, uid: geteuid())
        for path in paths {
            if let descriptor = connected(to: path) { return descriptor }
        }
        return nil
    }

    /// Connects to a socket within `limit` milliseconds, or returns `nil` if there is no trusted listener.
    static func connected(to path: String, within limit: Int32 = patience) -> Int32? {
        var address = sockaddr_un()
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard !path.isEmpty, path.utf8.count < room else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        // Without a timeout, `connect` waits as long as the accept queue is full (unix(7)), and `write` can block too.
        var timeout = timeval(tv_sec: Int(limit / 1000), tv_usec: Int(limit % 1000) * 1000)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0, isTrusted(descriptor, path) else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// Whether a socket's other end runs as this user, as root or, at the service's path, as the folder's owner.
    private static func isTrusted(_ descriptor: Int32, _ path: String) -> Bool {
        // Swift does not import `struct ucred`, which consists of these members.
        var credentials: (pid: Int32, uid: UInt32, gid: UInt32) = (0, .max, .max)
        var size = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return false }
        if credentials.uid == geteuid() || credentials.uid == 0 { return true }
        guard path == BrokerSocketPath.service else { return false }
        guard let folder = try? FileStatus(path: "/run/tokenbroker") else { return false }
        return folder.kind == .directory && folder.owner == credentials.uid
    }

    private static func line(_ descriptor: Int32) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 8192)
        while bytes.count < answerLimit {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, patience) == 1 else { return nil }
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
            if buffer[count - 1] == 0x0A { return bytes }
        }
        return nil
    }

    /// Returns the token in a response, or `nil` if there is none.
    ///
    /// JSON escapes quotation marks in strings, so the text of a string cannot be mistaken for a member.
    static func token(in answer: [UInt8]) -> [UInt8]? {
        guard position(after: #""kind":"token""#, in: answer) != nil,
            let start = position(after: #""accessToken":""#, in: answer),
            let end = answer[start...].firstIndex(of: UInt8(ascii: "\"")), end > start
        else { return nil }
        let token = answer[start..<end]
        return token.allSatisfy(isTokenCharacter) ? Array(token) : nil
    }

    /// Whether a bearer token may contain the character (RFC 6750 §2.1).
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~+/=".utf8.contains(byte)
        }
    }

    private static func position(after text: String, in bytes: [UInt8]) -> Int? {
        let wanted = Array(text.utf8)
        guard bytes.count >= wanted.count else { return nil }
        for start in 0...(bytes.count - wanted.count) where bytes[start] == wanted[0] {
            if bytes[start..<(start + wanted.count)].elementsEqual(wanted) { return start + wanted.count }
        }
        return nil
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }
}
