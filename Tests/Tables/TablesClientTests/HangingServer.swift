import Foundation
import Glibc
import TablesClient

/// A server that accepts one connection, reads the request and never responds.
///
/// The server detects when the client disconnects.
struct HangingServer: Sendable {
    let address: APIAddress
    /// A stream that ends when a request arrives.
    let arrived: AsyncStream<Void>
    /// A stream that ends when the client closes its connection.
    let closed: AsyncStream<Void>

    struct Failed: Error {
        let code = errno
    }

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                bind(listener, place, length) | listen(listener, 1) | getsockname(listener, place, &length)
            }
        }
        guard code == 0 else { throw Failed() }
        address = try APIAddress("http://127.0.0.1:\(UInt16(bigEndian: place.sin_port))")
        let (arrived, hasArrived) = AsyncStream.makeStream(of: Void.self)
        let (closed, hasClosed) = AsyncStream.makeStream(of: Void.self)
        self.arrived = arrived
        self.closed = closed
        Thread.detachNewThread {
            let connection = accept(listener, nil, nil)
            var bytes = [UInt8](repeating: 0, count: 4096)
            while recv(connection, &bytes, bytes.count, 0) > 0 { hasArrived.finish() }
            close(connection)
            close(listener)
            hasArrived.finish()
            hasClosed.finish()
        }
    }
}
