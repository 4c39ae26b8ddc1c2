import Glibc

/// The socket of a service manager, to which a program reports that it is ready.
public final class NotifySocket: Sendable {
    /// The path of the socket, which programs get in the variable `NOTIFY_SOCKET`.
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

    /// Waits for a message with the line `line`, and returns whether it arrived in time.
    ///
    /// Other messages are skipped.
    public func receives(_ line: String, within milliseconds: Int = 30_000) -> Bool {
        let deadline = ReadDeadline(within: milliseconds)
        while deadline.allowsReading(fd) {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = recv(fd, &buffer, buffer.count, 0)
            guard count > 0 else { return false }
            let message = String(decoding: buffer[..<count], as: UTF8.self)
            if message.split(separator: "\n").contains(Substring(line)) { return true }
        }
        return false
    }

    /// A message from a program.
    public struct Message: Sendable {
        /// The lines of the message.
        public let lines: [String]
        /// The file descriptor that was passed with the message.
        ///
        /// The caller must close the descriptor.
        public let descriptor: Int32?
    }

    /// Returns the next message, or `nil` if none arrives in time.
    public func next(within milliseconds: Int = 30_000) -> Message? {
        guard ReadDeadline(within: milliseconds).allowsReading(fd) else { return nil }
        var buffer = [UInt8](repeating: 0, count: 4096)
        // A control message with one descriptor has a header of 16 bytes and 4 bytes of data, padded to 24 bytes
        // (cmsg(3)).
        var control = [UInt8](repeating: 0, count: 24)
        let got = buffer.withUnsafeMutableBytes { bytes in
            control.withUnsafeMutableBytes { control in
                var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                return withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    message.msg_iov = part
                    message.msg_iovlen = 1
                    message.msg_control = control.baseAddress
                    message.msg_controllen = control.count
                    let count = recvmsg(fd, &message, Int32(MSG_CMSG_CLOEXEC))
                    return (count: count, hasDescriptor: message.msg_controllen >= 20)
                }
            }
        }
        guard got.count > 0 else { return nil }
        let text = String(decoding: buffer[..<got.count], as: UTF8.self)
        let descriptor = control.withUnsafeBytes { $0.load(fromByteOffset: 16, as: Int32.self) }
        return Message(
            lines: text.split(separator: "\n").map(String.init),
            descriptor: got.hasDescriptor ? descriptor : nil
        )
    }
}
