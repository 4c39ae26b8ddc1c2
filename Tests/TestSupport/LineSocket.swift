import Foundation
import Glibc
import Synchronization

/// A connection to a Unix stream socket that sends and receives lines of text.
///
/// This class shares no code with the program under test.
public final class LineSocket: Sendable {
    /// The ways in which an exchange can fail.
    public enum Failure: Error, Equatable {
        /// No process listens at the path.
        case notConnected(errno: Int32)
        /// The peer closed the connection.
        case closed
        /// No line arrived in time.
        case silent
    }

    /// The time limit for a response, in milliseconds.
    public static let patience = 30_000

    private let fd: Int32
    private let rest = Mutex<[UInt8]>([])

    /// Connects to the socket at `path`.
    public init(_ path: String) throws {
        fd = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let result = withUnixAddress(path) { connect(fd, $0, $1) }
        // `deinit` runs even if the initializer throws, and closes the descriptor. If the descriptor were also closed
        // here, `deinit` could close another file with the same number.
        if result != 0 { throw Failure.notConnected(errno: errno) }
    }

    /// Connects to the socket at `path` and disconnects, as often as `times` says.
    ///
    /// - Throws: An error if a connection is refused.
    public static func connectAndLeave(_ path: String, times: Int) throws {
        let failure = withUnixAddress(path) { address, length -> Int32? in
            for _ in 0..<times {
                let fd = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
                let code = connect(fd, address, length) == 0 ? nil : errno
                close(fd)
                if let code { return code }
            }
            return nil
        }
        if let failure { throw Failure.notConnected(errno: failure) }
    }

    deinit {
        close(fd)
    }

    /// Sends bytes unchanged.
    public func send(bytes: some Sequence<UInt8>) throws {
        let all = Array(bytes)
        var sent = 0
        while sent < all.count {
            let count = all.withUnsafeBytes {
                Glibc.send(fd, $0.baseAddress?.advanced(by: sent), all.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { throw Failure.closed }
            sent += count
        }
    }

    /// Closes the sending side.
    ///
    /// Responses can still be read.
    public func finishSending() {
        shutdown(fd, Int32(SHUT_WR))
    }

    /// Sends a line.
    public func send(_ line: String) throws {
        try send(bytes: Array((line + "\n").utf8))
    }

    /// Returns the next line without its line break.
    ///
    /// The complete line must arrive within the time limit.
    public func receive(within milliseconds: Int = patience) throws -> String {
        let deadline = ReadDeadline(within: milliseconds)
        if let line = rest.withLock({ Self.takeLine(from: &$0) }) { return line }
        while deadline.allowsReading(fd) {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = read(fd, &buffer, buffer.count)
            if count <= 0 { throw Failure.closed }
            let line = rest.withLock {
                $0 += buffer[..<count]
                return Self.takeLine(from: &$0)
            }
            if let line { return line }
        }
        throw Failure.silent
    }

    private static func takeLine(from bytes: inout [UInt8]) -> String? {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { bytes.removeSubrange(...end) }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }

    /// Whether there is no unread data and the peer has not closed the connection.
    ///
    /// This property does not wait for data.
    public var isSilent: Bool { rest.withLock(\.isEmpty) && !ReadDeadline(within: 0).allowsReading(fd) }

    /// Returns whether the peer has closed the connection and everything that the peer sent has been read.
    public func isClosed(within milliseconds: Int = patience) -> Bool {
        guard ReadDeadline(within: milliseconds).allowsReading(fd) else { return false }
        var byte: UInt8 = 0
        return read(fd, &byte, 1) <= 0
    }
}
