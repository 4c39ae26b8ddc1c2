import Foundation

/// A client that sends and receives the raw bytes of HTTP over one connection.
public struct RawClient: Sendable {
    /// The error of a failed connection.
    public struct Failure: Error {}

    /// The time limit for a complete response, in milliseconds.
    private static let patience = 10_000

    private let fd: Int32

    /// Connects to a local port.
    ///
    /// A host with a colon is an IPv6 address.
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

    /// Sends bytes unchanged.
    public func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Foundation.send(fd, $0.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Closes the sending side.
    public func finishSending() { shutdown(fd, Int32(SHUT_WR)) }

    /// Disconnects without reading a response.
    public func leave() { close(fd) }

    /// Reads until the server closes the connection.
    ///
    /// A separate thread reads, because the server needs the threads that run tasks.
    public func readToEnd() async -> String { await readWhole().text }

    /// Returns everything that arrives in time, and whether the server closed the connection afterwards.
    public func readWhole() async -> (text: String, isClosed: Bool) {
        await withCheckedContinuation { done in
            Thread.detachNewThread { done.resume(returning: readAll()) }
        }
    }

    /// Returns the bytes that arrive in a single read.
    ///
    /// A small response arrives completely in one read.
    public func readHead() async -> String {
        await withCheckedContinuation { done in
            Thread.detachNewThread {
                var buffer = [UInt8](repeating: 0, count: 4096)
                let count = receive(&buffer, before: ReadDeadline(within: Self.patience))
                done.resume(returning: String(decoding: buffer.prefix(max(0, count)), as: UTF8.self))
            }
        }
    }

    /// Returns the number of bytes that arrive until the server closes the connection, without storing the bytes.
    ///
    /// A separate thread reads.
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
