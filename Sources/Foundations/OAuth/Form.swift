/// The parameters of a query or a form body (RFC 6749 appendix B); an empty value counts as omitted.
///
/// OAuth forbids repeated parameters (RFC 6749 §3.1), so endpoints must check ``repeated`` first.
public struct Form: Hashable, Sendable {
    /// The maximum number of parameters.
    public static let maxCount = 128

    /// The non-empty values of each parameter in their original order, keyed by the parameter's name.
    private let values: [String: [String]]
    /// The names of the parameters that occur more than once, in alphabetical order.
    public let repeated: [String]

    /// Parses `name=value` pairs that are separated by `&`, in text whose length the caller limits.
    ///
    /// - Throws: `invalid_request` for more than ``maxCount`` pairs, a malformed `%` sequence or invalid UTF-8.
    public init(_ text: some StringProtocol) throws(OAuthError) {
        try self.init(utf8: Array(text.utf8))
    }

    /// Parses `name=value` pairs from the bytes of a request body.
    public init(utf8 bytes: [UInt8]) throws(OAuthError) {
        var values: [String: [String]] = [:]
        var names: [String: Int] = [:]
        let pairs = bytes.split(separator: UInt8(ascii: "&"))
        guard pairs.count <= Self.maxCount else { throw .invalidRequest("more than \(Self.maxCount) parameters") }
        for pair in pairs {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = try Self.decoded(parts[0])
            let value = try parts.count == 2 ? Self.decoded(parts[1]) : ""
            names[name, default: 0] += 1
            if !value.isEmpty { values[name, default: []].append(value) }
        }
        self.values = values
        repeated = values.count == pairs.count ? [] : names.filter { $0.value > 1 }.keys.sorted()
    }

    /// Creates a form from values keyed by parameter name, leaving out empty values.
    public init(_ parameters: [String: String]) {
        values = parameters.filter { !$0.value.isEmpty }.mapValues { [$0] }
        repeated = []
    }

    /// The names of the parameters that have a value.
    public var names: Set<String> { Set(values.keys) }

    /// Returns the first value of a parameter, or `nil` if the parameter was omitted.
    public subscript(name: String) -> String? { values[name]?.first }

    /// Returns all values of a repeatable parameter, such as `resource` (RFC 8707 §2).
    public func all(_ name: String) -> [String] { values[name] ?? [] }

    /// All parameters as pairs of name and value, with the values of each name in their original order.
    public var pairs: [(name: String, value: String)] {
        values.flatMap { name, values in values.map { (name, $0) } }
    }

    /// Encodes `pairs` in the given order as a query or a form body.
    public static func encoded(_ pairs: [(name: String, value: String)]) -> String {
        pairs.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&")
    }

    private static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte.isUnreserved {
                bytes.append(byte)
            } else {
                let digits = Array("0123456789ABCDEF".utf8)
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Decodes a name or value (`%` sequences, and `+` for a space), or throws `invalid_request` if it is malformed.
    public static func decoded(_ text: some StringProtocol) throws(OAuthError) -> String {
        try decoded(Array(text.utf8)[...])
    }

    private static func decoded(_ text: ArraySlice<UInt8>) throws(OAuthError) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.next()?.hexadecimalValue, let low = rest.next()?.hexadecimalValue else {
                    throw .invalidRequest("a % is not followed by two hexadecimal digits")
                }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        guard let text = String(utf8: bytes) else {
            throw .invalidRequest("a parameter is not UTF-8")
        }
        return text
    }
}
