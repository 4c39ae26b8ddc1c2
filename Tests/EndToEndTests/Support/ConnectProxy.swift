import Foundation
import Synchronization
import TestSupport

/// An HTTP proxy that connects every tunnel to one port of this machine, or refuses every tunnel.
///
/// The proxy records the request lines. It can require a user name and a password.
final class ConnectProxy: Sendable {
    let port: Int
    private let target: Int?
    private let refusal: Int
    private let authorization: String?
    private let listener: Int32
    private let lines = Mutex<[String]>([])

    /// The request lines that the proxy has received.
    var requests: [String] { lines.withLock { $0 } }

    /// Listens on a free port, and connects every tunnel to the port `target`.
    ///
    /// If `target` is `nil`, the proxy refuses every tunnel with the status `refusal`. If `credentials` are not `nil`, it
    /// refuses every request without this `USER:PASSWORD` (RFC 7617).
    init(to target: Int? = nil, refusing refusal: Int = 403, requiring credentials: String? = nil) throws {
        self.target = target
        self.refusal = refusal
        authorization = credentials.map { "Basic \(Data($0.utf8).base64EncodedString())" }
        port = freePort()
        listener = try LoopbackTCP.listening(at: port)
        LoopbackTCP.serve(listener) { [self] in serve($0) }
    }

    func stop() { LoopbackTCP.stop(listener) }

    private func serve(_ client: Int32) {
        var head: [UInt8] = []
        // The header is read byte by byte, since the bytes after it belong to the tunnel.
        while head.suffix(4) != Array("\r\n\r\n".utf8)[...], let byte = LoopbackTCP.receive(from: client, atMost: 1) {
            head += byte
        }
        let fields = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        let line = fields.first ?? ""
        lines.withLock { $0.append(String(line)) }
        let isAuthorized = fields.contains { field in
            let parts = field.split(separator: ": ", maxSplits: 1)
            return parts.count == 2 && parts[0].lowercased() == "proxy-authorization" && parts[1] == authorization ?? ""
        }
        guard authorization == nil || isAuthorized else {
            let answer = "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"p\"\r\nContent-Length: 0\r\n\r\n"
            _ = LoopbackTCP.send(Array(answer.utf8), to: client)
            return
        }
        guard let target, line.hasPrefix("CONNECT "), let server = LoopbackTCP.connected(to: target) else {
            _ = LoopbackTCP.send(Array("HTTP/1.1 \(refusal) No\r\nContent-Length: 0\r\n\r\n".utf8), to: client)
            return
        }
        defer { close(server) }
        guard LoopbackTCP.send(Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8), to: client) else { return }
        Self.carry(client, server)
    }

    /// The time after which a silent tunnel closes, in milliseconds.
    private static let patience: Int32 = 20_000

    /// Copies bytes in both directions until one side closes the connection or both are silent for too long.
    private static func carry(_ client: Int32, _ server: Int32) {
        let ways = [(client, server), (server, client)]
        var waiting = ways.map { pollfd(fd: $0.0, events: Int16(POLLIN), revents: 0) }
        while poll(&waiting, 2, patience) > 0 {
            for (descriptor, way) in zip(waiting, ways) where descriptor.revents != 0 {
                guard let bytes = LoopbackTCP.receive(from: way.0), LoopbackTCP.send(bytes, to: way.1) else { return }
            }
        }
    }
}
