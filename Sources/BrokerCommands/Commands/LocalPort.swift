import Foundation
import Glibc

/// Asks an HTTP server of this machine how it is.
enum LocalPort {
    /// The server that answers.
    enum Answer: Hashable {
        /// No connection was made.
        case nobody
        /// A connection was made, and no status came.
        case silent
        /// The status of `/readyz`.
        case status(Int)
    }

    /// Milliseconds that connecting, writing and reading may each take.
    private static let patience = 2_000

    /// Asks `/readyz` of a port under the host name of `base`.
    static func answer(host: String, port: Int, base: String) -> Answer {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &list) == 0, let address = list else { return .nobody }
        defer { freeaddrinfo(list) }
        let descriptor = socket(
            address.pointee.ai_family,
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue),
            0
        )
        guard descriptor >= 0 else { return .nobody }
        defer { close(descriptor) }
        var time = timeval(tv_sec: patience / 1000, tv_usec: 0)
        for option in [SO_SNDTIMEO, SO_RCVTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
        guard connect(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0 else { return .nobody }
        let name = base.split(separator: "/").dropFirst().first.map(String.init) ?? "localhost"
        let request = Array("GET /readyz HTTP/1.1\r\nHost: \(name)\r\nConnection: close\r\n\r\n".utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { return .silent }
        var bytes = [UInt8](repeating: 0, count: 64)
        let got = recv(descriptor, &bytes, bytes.count, 0)
        let words = String(decoding: bytes.prefix(max(0, got)), as: UTF8.self).split(separator: " ")
        guard words.count > 1, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else { return .silent }
        return .status(status)
    }
}
