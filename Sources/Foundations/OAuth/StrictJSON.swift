/// A JSON parser that rejects ambiguous documents (RFC 8259; see RFC 8725 §2.6 for the reasons).
///
/// It rejects duplicate members, invalid UTF-8, lone surrogates, a byte order mark, data after the value, integers that
/// do not fit into 64 bits (but see ``Integers``), numbers that are not finite, and nesting deeper than the caller
/// allows. The caller limits the length of a document.
public enum StrictJSON {
    /// How to handle an integer that does not fit into 64 bits.
    public enum Integers: Sendable {
        /// Reject the document.
        case exact
        /// Read it as a floating-point number if no precision is lost, as programs without integer types do.
        case orFloating
    }

    /// The default maximum nesting depth of arrays and objects.
    public static let defaultMaxDepth = 32

    /// An error for a rejected document.
    ///
    /// The error contains nothing from the document except a member name.
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
        /// The position of the error, in bytes from the start.
        public let offset: Int
        /// The name of the outermost member that contains the error, or `nil` if there is no such member.
        public internal(set) var member: String?

        /// The reason and the position.
        public var description: String { "\(reason.rawValue) (at byte \(offset))" }
    }

    /// Parses one document.
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

    private static func parse(
        _ buffer: UnsafeBufferPointer<UInt8>,
        _ maxDepth: Int,
        _ integers: Integers
    ) -> Result<JSONValue, Failure> {
        var scanner = JSONScanner(bytes: buffer, maxDepth: maxDepth, integers: integers)
        do throws(Failure) {
            return .success(try scanner.document())
        } catch {
            return .failure(error)
        }
    }
}
