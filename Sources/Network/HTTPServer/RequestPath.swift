import HTTPTypes
import OAuth

/// The path of a request, whose segments are percent-decoded exactly once and without loss (RFC 3986 §3.3, §2.1).
///
/// All code reads paths through this type, so that no alternative encoding bypasses access control. A path is rejected
/// if a segment is `.` or `..`, contains an encoded `/` or a `\`, or is not valid UTF-8.
public struct RequestPath: Hashable, Sendable, CustomStringConvertible {
    /// The decoded segments, without the empty segments that result from repeated slashes or a slash at the end.
    public let segments: [String]

    /// Parses the path of a request.
    ///
    /// - Throws: `HTTPProblem` with status 400 if the path does not begin with `/` or a segment is invalid.
    public init(_ text: String) throws(HTTPProblem) {
        guard text.utf8.first == UInt8(ascii: "/") else { throw Self.refusal("the request's target is not a path") }
        var segments: [String] = []
        for segment in text.utf8.split(separator: UInt8(ascii: "/")) {
            segments.append(try Self.decoded(segment))
        }
        self.segments = segments
    }

    init(_ text: String, read: RequestPath?) throws(HTTPProblem) {
        if let read { self = read } else { try self.init(text) }
    }

    /// The canonical form for comparison with routes, in which all bytes other than `pchar` are percent-encoded.
    public var description: String {
        segments.isEmpty ? "/" : segments.map { "/" + Self.encoded($0) }.joined()
    }

    /// Percent-decodes one segment of a path.
    ///
    /// - Throws: `HTTPProblem` with status 400 if the segment is invalid.
    public static func decoded(_ segment: String) throws(HTTPProblem) -> String {
        // A segment that contains a dot could be `.` or `..`, so it must be decoded and checked.
        if segment.utf8.allSatisfy({ standsForItself($0) && $0 != UInt8(ascii: ".") }) { return segment }
        return try decoded(segment.utf8)
    }

    /// Percent-encodes a string as one segment of a path.
    public static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if standsForItself(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 0xF)]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns `true` only if `text` is canonical, after a fast check.
    ///
    /// For a few canonical paths, such as those with a segment that begins with a dot, the result is also `false`.
    static func isCanonical(_ text: String) -> Bool {
        var previous: UInt8?
        for byte in text.utf8 {
            let isSlash = byte == UInt8(ascii: "/")
            let isSuspect = previous == UInt8(ascii: "/") && (isSlash || byte == UInt8(ascii: "."))
            guard previous != nil || isSlash, !isSuspect, isSlash || standsForItself(byte) else { return false }
            previous = byte
        }
        return previous != nil && (previous != UInt8(ascii: "/") || text.utf8.count == 1)
    }

    private static func decoded(_ segment: some Sequence<UInt8>) throws(HTTPProblem) -> String {
        var bytes: [UInt8] = []
        var rest = segment.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                guard (0x21...0x7E).contains(byte), byte != UInt8(ascii: "#") else {
                    throw refusal("the path has a character that must be percent-encoded")
                }
                bytes.append(byte)
                continue
            }
            guard let high = rest.next()?.hexadecimalValue, let low = rest.next()?.hexadecimalValue else {
                throw refusal("the path has a % that is not followed by two hexadecimal digits")
            }
            bytes.append(high << 4 | low)
        }
        guard !bytes.contains(UInt8(ascii: "/")), !bytes.contains(UInt8(ascii: "\\")) else {
            throw refusal("the path has an encoded / or \\")
        }
        guard let text = String(utf8: bytes) else { throw refusal("the path is not UTF-8") }
        guard text != ".", text != ".." else { throw refusal("the path has a segment . or ..") }
        return text
    }

    private static func refusal(_ message: String) -> HTTPProblem {
        HTTPProblem(.badRequest, code: "invalid_request", message: message)
    }

    /// Returns whether the byte may appear unencoded in a segment (`pchar`).
    private static func standsForItself(_ byte: UInt8) -> Bool {
        byte.isUnreserved || "!$&'()*+,;=:@".utf8.contains(byte)
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }
}
