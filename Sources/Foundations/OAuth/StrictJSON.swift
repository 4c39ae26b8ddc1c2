/// A JSON parser that refuses ambiguous documents (RFC 8259; RFC 8725 §2.6 says why).
///
/// Refused are duplicate members, invalid UTF-8, lone surrogates, a byte order mark, anything after the value, integers
/// that do not fit 64 bits (but see ``Integers``), numbers that are not finite, and nesting deeper than the caller
/// allows. The caller bounds the length of a document.
public enum StrictJSON {
    /// The treatment of an integer that does not fit 64 bits.
    public enum Integers: Sendable {
        /// Refuses the document.
        case exact
        /// Reads it as a floating point number if that loses nothing, as do programs without other numbers.
        case orFloating
    }

    /// The deepest nesting of arrays and objects, if the caller names no other.
    public static let defaultMaxDepth = 32

    /// An error for a document that is refused; it repeats nothing of the document but the name of a member.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The rules that a document can break.
        public enum Reason: String, Sendable {
            case unexpectedEnd = "the document ends too early"
            case unexpectedByte = "a character that cannot stand here"
            case trailingBytes = "something follows the value"
            case invalidUTF8 = "a text is not UTF-8"
            case invalidEscape = "an escape that does not exist or stands for half a character"
            case duplicateMember = "an object has a member twice"
            case tooDeep = "arrays and objects stand too deep in each other"
            case numberOutOfRange = "a number is out of range"
        }

        /// The rule that was broken.
        public let reason: Reason
        /// The position of the fault, in bytes from the start.
        public let offset: Int
        /// The member of the outermost object whose value is refused, if the document is an object.
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
