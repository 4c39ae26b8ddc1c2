/// A JSON parser that rejects ambiguous documents (RFC 8259, RFC 8725 §2.6).
///
/// The parser rejects duplicate members, invalid UTF-8, lone surrogates, a byte order mark, data after the value,
/// numbers that are out of range, and excessive nesting. The caller must limit the length of a document.
public enum StrictJSON {
    /// How the parser handles an integer that does not fit into 64 bits.
    public enum Integers: Sendable {
        /// The parser rejects the document.
        case exact
        /// The parser reads the integer as a floating-point number, or rejects the document if precision would be lost.
        case orFloating
    }

    /// The default maximum nesting depth of arrays and objects.
    public static let defaultMaxDepth = 32

    /// A parse error, which contains nothing from the document except a member name.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The rules that a document can violate.
        public enum Reason: String, Sendable {
            case unexpectedEnd = "unexpected end of the document"
            case unexpectedByte = "unexpected character"
            case trailingBytes = "unexpected data after the value"
            case invalidUTF8 = "a string is not valid UTF-8"
            case invalidEscape = "invalid escape sequence or lone surrogate"
            case duplicateMember = "an object has a duplicate member"
            case tooDeep = "arrays and objects are nested too deeply"
            case numberOutOfRange = "a number is out of range"
        }

        /// The rule that the document violates.
        public let reason: Reason
        /// The position of the error, in bytes from the start of the document.
        public let offset: Int
        /// The name of the top-level member whose value contains the error, or `nil` if no such member is known.
        public internal(set) var member: String?

        /// The reason and the position of the error.
        public var description: String { "\(reason.rawValue) (at byte \(offset))" }
    }

    /// Parses `bytes` as a single JSON document.
    public static func parse(
        _ bytes: some Collection<UInt8>,
        maxDepth: Int = defaultMaxDepth,
        integers: Integers = .exact
    ) throws(Failure) -> JSONValue {
        if let result = bytes.withContiguousStorageIfAvailable({ parse($0, maxDepth, integers) }) {
            return try result.get()
        }
        return try Array(bytes).withUnsafeBufferPointer { parse($0, maxDepth, integers) }.get()
    }

    /// A parsed document in which the numbers in one member are kept as text.
    public struct Verbatim: Sendable {
        /// The document, in which `null` replaces each number that was kept as text.
        public let value: JSONValue
        /// The text of each number, keyed by the array index of its object, or by 0 if the document is a single object.
        public let numbers: [Int: String]
    }

    /// Parses an object or an array of objects, and keeps each number in the member `name` of these objects as text.
    public static func parse(_ bytes: [UInt8], verbatimNumbersIn name: String) throws(Failure) -> Verbatim {
        try bytes.withUnsafeBufferPointer { buffer -> Result<Verbatim, Failure> in
            var scanner = JSONScanner(bytes: buffer, maxDepth: defaultMaxDepth, integers: .exact, verbatim: name)
            return scanned(&scanner).map { Verbatim(value: $0, numbers: scanner.numbers) }
        }.get()
    }

    private static func parse(
        _ buffer: UnsafeBufferPointer<UInt8>,
        _ maxDepth: Int,
        _ integers: Integers
    ) -> Result<JSONValue, Failure> {
        var scanner = JSONScanner(bytes: buffer, maxDepth: maxDepth, integers: integers)
        return scanned(&scanner)
    }

    private static func scanned(_ scanner: inout JSONScanner) -> Result<JSONValue, Failure> {
        do throws(Failure) {
            return .success(try scanner.document())
        } catch {
            return .failure(error)
        }
    }
}
