import Foundation
import Synchronization
import TestSupport

/// An HTTP proxy that opens no tunnel, and remembers to whom one was asked for.
final class RefusingProxy: Sendable {
    /// The port cannot be listened at.
    struct NotListening: Error {}

    let port: Int
    private let listener: Int32
    private let lines = Mutex<[String]>([])

    /// The first lines of all requests.
    var requests: [String] { lines.withLock { $0 } }

    /// Listens at a port of this machine.
    init() throws {
        port = freePort()
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, length) == 0 }
        }
        guard isBound, listen(listener, 16) == 0 else { throw NotListening() }
        Thread.detachNewThread { [self] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                refuse(client)
                close(client)
            }
        }
    }

    /// Ends listening.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private func refuse(_ client: Int32) {
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(client, &buffer, buffer.count, 0)
        let line = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).prefix { $0 != "\r" && $0 != "\r\n" }
        lines.withLock { $0.append(String(line)) }
        let answer = Array("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n".utf8)
        _ = answer.withUnsafeBytes { send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }
}
