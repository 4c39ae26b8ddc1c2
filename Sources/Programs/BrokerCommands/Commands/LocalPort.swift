import Foundation
import Glibc
import OAuth
import Systemd

/// Checks the health of an HTTP server on this machine.
enum LocalPort {
    enum Answer: Hashable {
        /// No process accepted the connection.
        case nobody
        /// Another user's process is listening on the port, so no request was sent.
        case stranger(uid: UInt32)
        /// The server accepted the connection but did not send a valid HTTP status.
        case silent
        /// The HTTP status of `/readyz`, and whether the server can look up its local clients' uids.
        case status(Int, seesPeers: Bool)
    }

    /// The maximum size of a response, in bytes.
    private static let most = 16 << 10

    /// The timeout for the whole request.
    private static let patience: Duration = .seconds(2)

    /// Requests `/readyz` over a Unix socket, with the host of the URL `base` in the `Host` field.
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

    static func answer(host: String, port: Int, base: String) -> Answer {
        if let number = UInt16(exactly: port), case .uid(let uid)? = TCPOwner.stranger(listeningAt: number) {
            return .stranger(uid: uid)
        }
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
        let end = ContinuousClock.now + patience
        guard limit(descriptor, to: end), connect(descriptor, address, size) == 0 else { return .nobody }
        let name = base.split(separator: "/").dropFirst().first.map(String.init) ?? "localhost"
        let request = Array("GET /readyz HTTP/1.1\r\nHost: \(name)\r\nConnection: close\r\n\r\n".utf8)
        guard limit(descriptor, to: end),
            send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count
        else { return .silent }
        var text: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 1024)
        while text.count < most, limit(descriptor, to: end) {
            let got = recv(descriptor, &bytes, bytes.count, 0)
            guard got > 0 else { break }
            text += bytes.prefix(got)
        }
        return answer(text)
    }

    /// Sets the socket's timeouts to the time left until `end`, or returns `false` if `end` has passed.
    private static func limit(_ descriptor: Int32, to end: ContinuousClock.Instant) -> Bool {
        let (seconds, attoseconds) = ContinuousClock.now.duration(to: end).components
        var time = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
        // A timeout of zero would mean no limit.
        guard time.tv_sec > 0 || time.tv_usec > 0 else { return false }
        for option in [SO_SNDTIMEO, SO_RCVTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
        return true
    }

    private static func answer(_ text: [UInt8]) -> Answer {
        let words = String(decoding: text, as: UTF8.self).split(separator: " ", maxSplits: 2)
        guard words.count > 1, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else { return .silent }
        let body = text.firstRange(of: Array("\r\n\r\n".utf8)).map { text[$0.upperBound...] } ?? []
        let document = try? StrictJSON.parse(body)
        return .status(status, seesPeers: document?["peers"] == nil)
    }
}
