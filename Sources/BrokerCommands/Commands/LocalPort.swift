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
        /// The status of `/readyz`, and whether the server can look up the users of its local clients.
        case status(Int, seesPeers: Bool)
    }

    /// The most bytes of an answer that are read.
    private static let most = 16 << 10

    /// Milliseconds that connecting, writing and reading may each take.
    private static let patience = 2_000

    /// Asks `/readyz` at a Unix socket under the host name of `base`.
    static func answer(socket path: String, base: String) -> Answer {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return .nobody }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                answer(AF_UNIX, $0, socklen_t(MemoryLayout<sockaddr_un>.size), base)
            }
        }
    }

    /// Asks `/readyz` of a port under the host name of `base`.
    static func answer(host: String, port: Int, base: String) -> Answer {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &list) == 0, let address = list else { return .nobody }
        defer { freeaddrinfo(list) }
        guard let name = address.pointee.ai_addr else { return .nobody }
        return answer(address.pointee.ai_family, name, address.pointee.ai_addrlen, base)
    }

    private static func answer(
        _ family: Int32,
        _ address: UnsafePointer<sockaddr>,
        _ size: socklen_t,
        _ base: String
    ) -> Answer {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return .nobody }
        defer { close(descriptor) }
        var time = timeval(tv_sec: patience / 1000, tv_usec: 0)
        for option in [SO_SNDTIMEO, SO_RCVTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
        guard connect(descriptor, address, size) == 0 else { return .nobody }
        let name = base.split(separator: "/").dropFirst().first.map(String.init) ?? "localhost"
        let request = Array("GET /readyz HTTP/1.1\r\nHost: \(name)\r\nConnection: close\r\n\r\n".utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { return .silent }
        var text: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 1024)
        while text.count < most {
            let got = recv(descriptor, &bytes, bytes.count, 0)
            guard got > 0 else { break }
            text += bytes.prefix(got)
        }
        let answer = String(decoding: text, as: UTF8.self)
        let words = answer.split(separator: " ", maxSplits: 2)
        guard words.count > 1, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else { return .silent }
        return .status(status, seesPeers: !answer.contains("\"peers\":"))
    }
}
