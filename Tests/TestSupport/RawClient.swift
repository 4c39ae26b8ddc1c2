import Foundation

/// Speaks HTTP by hand over one connection, so that tests see the bytes.
public struct RawClient: Sendable {
    /// Nobody listens.
    public struct Failure: Error {}

    /// Milliseconds that an answer may take, from first to last byte.
    private static let patience = 10_000

    private let fd: Int32

    /// Connects to a port of this machine; a host with a colon is an IPv6 address.
    public init(host: String = "127.0.0.1", port: Int) throws {
        fd = socket(host.contains(":") ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), nil, &list) == 0, let info = list?.pointee else {
            close(fd)
            throw Failure()
        }
        defer { freeaddrinfo(list) }
        guard connect(fd, info.ai_addr, info.ai_addrlen) == 0 else {
            close(fd)
            throw Failure()
        }
    }

    /// Connects to a Unix socket.
    public init(path: String) throws {
        fd = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard withUnixAddress(path, { connect(fd, $0, $1) }) == 0 else {
            close(fd)
            throw Failure()
        }
    }

    /// Sends bytes as they are.
    public func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Foundation.send(fd, $0.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Sends nothing more.
    public func finishSending() { shutdown(fd, Int32(SHUT_WR)) }

    /// Leaves without an answer.
    public func leave() { close(fd) }

    /// Everything until the server closes; on a thread of its own, since the tasks' threads serve the answer.
    public func readToEnd() async -> String { await readWhole().text }

    /// Everything that comes in time, and whether the server closed behind it.
    public func readWhole() async -> (text: String, isClosed: Bool) {
        await withCheckedContinuation { done in
            Thread.detachNewThread { done.resume(returning: readAll()) }
        }
    }

    /// The bytes that come at once; a small answer comes whole.
    public func readHead() async -> String {
        await withCheckedContinuation { done in
            Thread.detachNewThread {
                var buffer = [UInt8](repeating: 0, count: 4096)
                let count = receive(&buffer, before: ReadDeadline(within: Self.patience))
                done.resume(returning: String(decoding: buffer.prefix(max(0, count)), as: UTF8.self))
            }
        }
    }

    /// The number of bytes until the server closes, which are forgotten; read on a thread of its own.
    public func countToEnd(withinMilliseconds patience: Int = 120_000) async -> Int {
        await withCheckedContinuation { done in
            Thread.detachNewThread {
                var buffer = [UInt8](repeating: 0, count: 1 << 18)
                var all = 0
                let deadline = ReadDeadline(within: patience)
                while case let count = receive(&buffer, before: deadline), count > 0 { all += count }
                close(fd)
                done.resume(returning: all)
            }
        }
    }

    private func readAll() -> (text: String, isClosed: Bool) {
        defer { close(fd) }
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        let deadline = ReadDeadline(within: Self.patience)
        while deadline.allowsReading(fd) {
            let count = recv(fd, &buffer, buffer.count, 0)
            guard count > 0 else { return (String(decoding: all, as: UTF8.self), true) }
            all += buffer.prefix(count)
        }
        return (String(decoding: all, as: UTF8.self), false)
    }

    private func receive(_ buffer: inout [UInt8], before deadline: ReadDeadline) -> Int {
        deadline.allowsReading(fd) ? recv(fd, &buffer, buffer.count, 0) : 0
    }
}
