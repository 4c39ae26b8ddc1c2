import Glibc
import Testing

/// A listener that accepts no connections and whose queue is full, so that new connections never complete.
final class FullListener: Sendable {
    /// The listener's address in the form `host:port`.
    let address: String
    private let sockets: [Int32]

    init() throws {
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = Self.open()
        let fails = withUnsafeMutablePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) != 0 || listen(listener, 0) != 0 || getsockname(listener, $0, &size) != 0
            }
        }
        // The first connections fill the queue, which has one place even for a backlog of 0 (`listen(2)`). Later
        // connections get no response.
        let callers = (0..<8).map { _ in
            let caller = Self.open()
            withUnsafePointer(to: &place) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(caller, $0, size) }
            }
            return caller
        }
        sockets = [listener] + callers
        address = "127.0.0.1:\(UInt16(bigEndian: place.sin_port))"
        try #require(!fails)
    }

    deinit {
        for socket in sockets { close(socket) }
    }

    private static func open() -> Int32 {
        socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    }
}
