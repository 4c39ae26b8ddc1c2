/// The version of a row, which every write changes; equal versions are equal rows.
public struct RowVersion: Hashable, Sendable, CustomStringConvertible {
    /// The opaque text, base64.
    public let description: String

    /// The version that a write at `updatedAt` made; a row is never written twice at the same time.
    public init(updatedAt: Int64) {
        description = String(unsafeUninitializedCapacity: Self.length) { Self.write(updatedAt: updatedAt, to: $0) }
    }

    /// A version that a client sent.
    public init(_ text: String) {
        description = text
    }

    /// The strong entity tag (RFC 9110 §8.8.3).
    public var entityTag: String { "\"\(description)\"" }

    /// Bytes of the ``description`` of a write's version.
    package static let length = 12

    /// Writes the UTF-8 of the ``description`` of a write's version.
    ///
    /// - Parameters:
    ///   - updatedAt: The time of the write.
    ///   - bytes: Has room for ``length``.
    /// - Returns: ``length``.
    package static func write(updatedAt: Int64, to bytes: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let bits = UInt64(bitPattern: updatedAt)
        // 64 bits are ten digits of six bits and one of four, which is filled up with zeros.
        for place in 0..<10 { bytes[place] = digit(bits >> UInt64(58 - 6 * place)) }
        bytes[10] = digit(bits << 2)
        bytes[11] = UInt8(ascii: "=")
        return length
    }

    private static func digit(_ bits: UInt64) -> UInt8 {
        switch UInt8(bits & 63) {
        case let value where value < 26: UInt8(ascii: "A") + value
        case let value where value < 52: UInt8(ascii: "a") + value - 26
        case let value where value < 62: UInt8(ascii: "0") + value - 52
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }
}
