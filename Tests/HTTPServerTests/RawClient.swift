import Foundation
import HTTPServer

/// Speaks HTTP by hand over one connection, so that tests see the bytes.
struct RawClient {
    private let fd: Int32

    /// Connects to where `socket` listens.
    init(_ address: ListenAddress) throws {
        switch address {
        case .tcp(let host, let port):
            let family = host.contains(":") ? AF_INET6 : AF_INET
            fd = socket(family, Int32(SOCK_STREAM.rawValue), 0)
            var list: UnsafeMutablePointer<addrinfo>?
            guard getaddrinfo(host, String(port), nil, &list) == 0, let info = list?.pointee else { throw Failure() }
            defer { freeaddrinfo(list) }
            guard connect(fd, info.ai_addr, info.ai_addrlen) == 0 else { throw Failure() }
        case .unix(let path, _):
            fd = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
            let size = socklen_t(MemoryLayout<sockaddr_un>.size)
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(fd, $0, size) }
            }
            guard result == 0 else { throw Failure() }
        }
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Sends bytes as they are.
    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Foundation.send(fd, $0.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Sends nothing more.
    func finishSending() { shutdown(fd, Int32(SHUT_WR)) }

    /// Everything until the server closes; on a thread of its own, since the tasks' threads serve the answer.
    func readToEnd() async -> String {
        await withCheckedContinuation { done in
            Thread.detachNewThread { done.resume(returning: readAll()) }
        }
    }

    /// What comes at once; a small answer comes whole.
    func readHead() async -> String {
        await withCheckedContinuation { done in
            Thread.detachNewThread {
                var buffer = [UInt8](repeating: 0, count: 4096)
                let count = recv(fd, &buffer, buffer.count, 0)
                done.resume(returning: String(decoding: buffer.prefix(max(0, count)), as: UTF8.self))
            }
        }
    }

    private func readAll() -> String {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(fd, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            all += buffer.prefix(count)
        }
        close(fd)
        return String(decoding: all, as: UTF8.self)
    }

    /// Sends a request that asks for the connection's end, and reads the answer.
    static func ask(
        _ address: ListenAddress,
        _ line: String,
        host: String,
        _ fields: [String] = [],
        body: String = ""
    )
        async throws -> String
    {
        let client = try RawClient(address)
        let head = ["\(line) HTTP/1.1", "Host: \(host)", "Connection: close"] + fields
        let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
        client.send((head + length).joined(separator: "\r\n") + "\r\n\r\n" + body)
        return await client.readToEnd()
    }

    struct Failure: Error {}
}
