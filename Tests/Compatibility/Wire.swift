import Foundation
import OAuth

/// An HTTP response as the server sent it.
struct Answer: Sendable {
    let status: Int
    let fields: [(name: String, value: String)]
    let body: [UInt8]

    /// The value of the first field with this name, regardless of case.
    subscript(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The body as JSON, or `JSONValue.null` if the body is not valid JSON.
    var json: JSONValue { (try? StrictJSON.parse(body)) ?? .null }

    /// The row that the client builds from a response with one row.
    ///
    /// The row has the members of the body, and the version in the `ETag` field.
    var row: JSONValue {
        guard var members = json.object else { return .null }
        if let tag = self["ETag"], tag.count > 1, tag.hasPrefix("\""), tag.hasSuffix("\"") {
            members["version"] = .string(String(tag.dropFirst().dropLast()).replacing("\\\"", with: "\""))
        }
        return .object(members)
    }

    /// The rows of a response with a list.
    ///
    /// The list is an array, or the member `results` of an object that also contains a count.
    var rows: [JSONValue] { json.array ?? json["results"]?.array ?? [] }

    /// The ids of ``rows``.
    var ids: [String] { rows.compactMap { $0["id"]?.string } }

    /// The URL of the next page in the `Link` field, or `nil`.
    ///
    /// As in the client, the field must contain one URL without angle brackets, followed only by `rel=next`.
    var nextLink: String? {
        guard let link = self["Link"] else { return nil }
        let parts = link.split(separator: ";", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let relation = parts[1].filter { $0 != " " }
        return relation == "rel=next" ? String(parts[0]) : nil
    }
}

/// Sends HTTP requests over a plain socket, so that a test controls every byte.
enum Wire {
    /// The error if the server sends no response or an invalid HTTP response.
    struct Failure: Error {
        let what: String
    }

    /// Sends one request on a new connection, and reads the whole response.
    static func exchange(
        port: Int,
        _ method: String,
        _ target: String,
        _ fields: [(String, String)],
        body: [UInt8]? = nil
    ) async throws -> Answer {
        var head = "\(method) \(target) HTTP/1.1\r\n"
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        if let body { head += "Content-Length: \(body.count)\r\n" }
        let bytes = Array((head + "Connection: close\r\n\r\n").utf8) + (body ?? [])
        // This call blocks, and the threads that run Swift tasks also serve the issuer and the hook.
        let all = await withCheckedContinuation { done in
            Thread.detachNewThread { done.resume(returning: Result { try blocking(port, bytes) }) }
        }
        return try answer(try all.get())
    }

    private static func blocking(_ port: Int, _ bytes: [UInt8]) throws -> [UInt8] {
        let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(fd) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(fd, $0, size) }
        }
        guard fd >= 0, connected == 0 else { throw Failure(what: "nobody listens on port \(port)") }
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { send(fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { break }
            sent += count
        }
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = recv(fd, &buffer, buffer.count, 0), count > 0 { all += buffer.prefix(count) }
        return all
    }

    private static func answer(_ all: [UInt8]) throws -> Answer {
        let gap = Array("\r\n\r\n".utf8)
        guard let end = (0..<max(0, all.count - 3)).first(where: { Array(all[$0..<$0 + 4]) == gap }) else {
            throw Failure(what: "no head in \(all.count) bytes")
        }
        let lines = String(decoding: all[..<end], as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count >= 2, let status = Int(words[1]) else { throw Failure(what: lines[0]) }
        let fields = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (String(line[..<colon]), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
        }
        let rest = Array(all[(end + 4)...])
        let isChunked = fields.contains {
            $0.name.lowercased() == "transfer-encoding" && $0.value.lowercased() == "chunked"
        }
        return Answer(status: status, fields: fields, body: isChunked ? try unchunked(rest) : rest)
    }

    private static func unchunked(_ bytes: [UInt8]) throws -> [UInt8] {
        var body: [UInt8] = []
        var rest = bytes[...]
        while let lineEnd = rest.firstIndex(of: 0x0D) {
            guard let size = Int(String(decoding: rest[..<lineEnd], as: UTF8.self), radix: 16) else { break }
            guard size > 0 else { return body }
            let start = lineEnd + 2
            guard start + size + 2 <= rest.endIndex else { break }
            body += rest[start..<start + size]
            rest = rest[(start + size + 2)...]
        }
        throw Failure(what: "chunks that do not end")
    }
}
