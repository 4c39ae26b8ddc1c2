import FlowModel
import Foundation
import Glibc
import OAuth
import ProgramConfiguration
import Terminal

/// A request from the command line, without the token.
struct APIRequest: Sendable {
    let method: String
    /// The URL, which has no fragment and begins with the origin that was checked.
    let url: String
    /// The header fields, in the same order as on the command line.
    let headers: [(name: String, value: String)]
    /// The body that every attempt sends, or `nil` if the request has no body.
    let body: [UInt8]?

    /// The maximum size of a body, in bytes.
    static let bodyLimit = 16 << 20

    /// The header fields that the user may not set, because the program sets them.
    private static let own: Set<String> = [
        "authorization", "host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer",
        "expect", "client-request-id",
    ]

    /// Creates a request to a URL at `origin`, which may receive tokens.
    ///
    /// If `method` is `nil`, the method is POST if there is a body, or else GET.
    ///
    /// - Throws: A usage failure that describes the invalid argument.
    init(
        _ url: String,
        at origin: WebOrigin,
        method: String?,
        fields: [String],
        body: [UInt8]?,
        correlation: CorrelationID
    ) throws(CommandFailure) {
        let method = method ?? (body == nil ? "GET" : "POST")
        guard (1...32).contains(method.utf8.count), method.utf8.allSatisfy(Self.isName) else {
            throw .usage(Text("failure.methodName"))
        }
        guard let parts = URLComponents(string: url) else {
            throw .usage(Text("failure.noURL", ["url": PlainText.line(url)]))
        }
        self.method = method
        let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        self.url = origin.description + path + (parts.percentEncodedQuery.map { "?\($0)" } ?? "")
        var headers: [(name: String, value: String)] = []
        for field in fields { headers.append(try Self.field(field)) }
        if body != nil, !headers.contains(where: { $0.name.lowercased() == "content-type" }) {
            headers.append(("Content-Type", "application/json"))
        }
        headers.append(("client-request-id", correlation.description))
        self.headers = headers
        self.body = body
    }

    private static func field(_ text: String) throws(CommandFailure) -> (name: String, value: String) {
        guard let colon = text.firstIndex(of: ":") else {
            throw .usage(Text("failure.headerField"))
        }
        let name = String(text[..<colon])
        let value = text[text.index(after: colon)...].drop { $0 == " " }
        guard !name.isEmpty, name.utf8.allSatisfy(isName),
            value.utf8.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F })
        else { throw .usage(Text("failure.headerField")) }
        guard !own.contains(name.lowercased()) else { throw .usage(Text("failure.ownField", ["name": name])) }
        return (name, String(value))
    }

    /// Whether a byte is permitted in a field name (RFC 9110 §5.6.2).
    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// Returns the body for `--data`: the argument itself, the file's content for `@FILE`, or standard input for `@-`.
    static func body(_ data: String?) throws(CommandFailure) -> [UInt8]? {
        guard let data else { return nil }
        guard data.hasPrefix("@") else { return Array(data.utf8) }
        return try BoundedInput.read(path: String(data.dropFirst()), limit: bodyLimit)
    }
}

/// Reads files and descriptors to their end, up to a size limit in bytes.
enum BoundedInput {
    /// Reads a file, or standard input if the path is `-`.
    static func read(path: String, limit: Int) throws(CommandFailure) -> [UInt8] {
        let name = Text(exactly: PlainText.line(path))
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(name) }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        return try read(descriptor, limit: limit, name: name)
    }

    static func read(_ descriptor: Int32, limit: Int, name: Text) throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(name) }
            guard count > 0 else { return bytes }
            guard bytes.count + count <= limit else {
                throw CommandFailure(
                    .failed,
                    "too_large",
                    Text("failure.tooManyBytes", ["path": name, "bytes": limit])
                )
            }
            bytes += buffer[..<count]
        }
    }

    private static func unreadable(_ name: Text) -> CommandFailure {
        let reason = String(cString: strerror(errno))
        return CommandFailure(.failed, "not_readable", Text("failure.cannotRead", ["path": name, "reason": reason]))
    }
}
