import Foundation

/// Blocking TCP connections on this machine, for proxies between a client and a server.
enum LoopbackTCP {
    /// The port cannot be opened.
    struct NotListening: Error {}

    /// The maximum time that one call waits to send or receive bytes, in seconds.
    private static let patience = 20

    /// Listens on a port, and returns the socket's descriptor.
    static func listening(at port: Int) throws -> Int32 {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard withAddress(port, { bind(listener, $0, $1) }) == 0, listen(listener, 64) == 0 else {
            close(listener)
            throw NotListening()
        }
        return listener
    }

    /// Accepts connections on a new thread until listening stops.
    ///
    /// Each connection is served on a separate thread and then closed.
    static func serve(_ listener: Int32, _ serve: @escaping @Sendable (Int32) -> Void) {
        Thread.detachNewThread {
            while case let client = accept(listener, nil, nil), client >= 0 {
                limitWaiting(client)
                Thread.detachNewThread {
                    serve(client)
                    close(client)
                }
            }
        }
    }

    static func stop(_ listener: Int32) {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// Returns a connection to a port, or `nil` if no process listens on the port.
    ///
    /// The caller must close the connection.
    static func connected(to port: Int) -> Int32? {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        limitWaiting(server)
        guard withAddress(port, { connect(server, $0, $1) }) == 0 else {
            close(server)
            return nil
        }
        return server
    }

    /// Returns the next bytes, or `nil` at the end of the stream or after the timeout.
    static func receive(from descriptor: Int32, atMost limit: Int = 1 << 16) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer.prefix(count)) : nil
    }

    /// Sends bytes, and returns whether all of them were sent.
    static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func limitWaiting(_ descriptor: Int32) {
        var limit = timeval(tv_sec: patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    private static func withAddress(_ port: Int, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }
}
