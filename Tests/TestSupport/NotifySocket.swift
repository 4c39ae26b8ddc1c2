import Glibc

/// What a service manager listens at: a program says there that it is ready.
public final class NotifySocket: Sendable {
    /// The value of `NOTIFY_SOCKET`.
    public let path: String
    private let fd: Int32

    /// Listens at `path`.
    public init(_ path: String) {
        self.path = path
        unlink(path)
        fd = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        let result = withUnixAddress(path) { bind(fd, $0, $1) }
        precondition(result == 0, "cannot listen at \(path)")
    }

    deinit {
        close(fd)
        unlink(path)
    }

    /// Whether a message with the line `line` comes in time; others are passed over.
    public func receives(_ line: String, within milliseconds: Int = 30_000) -> Bool {
        while readable(fd, within: milliseconds) {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = recv(fd, &buffer, buffer.count, 0)
            guard count > 0 else { return false }
            let message = String(decoding: buffer[..<count], as: UTF8.self)
            if message.split(separator: "\n").contains(Substring(line)) { return true }
        }
        return false
    }
}
