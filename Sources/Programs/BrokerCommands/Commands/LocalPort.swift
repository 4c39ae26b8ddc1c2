import Foundation
import Glibc
import OAuth
import Systemd

/// Asks an HTTP server of this machine how it is.
enum LocalPort {
    /// The server that answers.
    enum Answer: Hashable {
        /// No connection was made.
        case nobody
        /// A process of another user listens at the port; it was not asked.
        case stranger(uid: UInt32)
        /// A connection was made, and no status came.
        case silent
        /// The status of `/readyz`, and whether the server can look up the users of its local clients.
        case status(Int, seesPeers: Bool)
    }

    /// The most bytes of an answer that are read.
    private static let most = 16 << 10

    /// The time that connecting, writing and reading may take together.
    private static let patience: Duration = .seconds(2)

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

    /// Lets the calls of a socket take the time until `end`; false if that is over.
    private static func limit(_ descriptor: Int32, to end: ContinuousClock.Instant) -> Bool {
        let (seconds, attoseconds) = ContinuousClock.now.duration(to: end).components
        var time = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
        // A time of zero would be no limit.
        guard time.tv_sec > 0 || time.tv_usec > 0 else { return false }
        for option in [SO_SNDTIMEO, SO_RCVTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
        return true
    }

    /// Reads the status, and the document after the empty line.
    private static func answer(_ text: [UInt8]) -> Answer {
        let words = String(decoding: text, as: UTF8.self).split(separator: " ", maxSplits: 2)
        guard words.count > 1, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else { return .silent }
        let body = text.firstRange(of: Array("\r\n\r\n".utf8)).map { text[$0.upperBound...] } ?? []
        let document = try? StrictJSON.parse(body)
        return .status(status, seesPeers: document?["peers"] == nil)
    }
}
