/// What one write made of a row; equal versions are equal rows.
public struct RowVersion: Hashable, Sendable, CustomStringConvertible {
    /// The opaque text, base64.
    public let description: String

    /// The version that a write at `updatedAt` made; a row is never written twice at the same time.
    public init(updatedAt: Int64) {
        var bytes: [UInt8] = []
        Self.append(updatedAt: updatedAt, to: &bytes)
        description = String(decoding: bytes, as: UTF8.self)
    }

    /// A version that a client sent.
    public init(_ text: String) {
        description = text
    }

    /// The strong entity tag (RFC 9110 §8.8.3).
    public var entityTag: String { "\"\(description)\"" }

    /// Appends the UTF-8 of ``description`` of a write at `updatedAt`.
    public static func append(updatedAt: Int64, to bytes: inout [UInt8]) {
        let bits = UInt64(bitPattern: updatedAt)
        // 64 bits are ten digits of six bits and one of four, which is filled up with zeros.
        for place in 0..<10 { bytes.append(digit(bits >> UInt64(58 - 6 * place))) }
        bytes.append(digit(bits << 2))
        bytes.append(UInt8(ascii: "="))
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
