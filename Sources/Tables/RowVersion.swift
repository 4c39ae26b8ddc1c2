import Foundation

/// What one write made of a row; equal versions are equal rows.
public struct RowVersion: Hashable, Sendable, CustomStringConvertible {
    /// The opaque text, base64.
    public let description: String

    /// The version that a write at `updatedAt` made; a row is never written twice at the same time.
    init(updatedAt: Int64) {
        description = withUnsafeBytes(of: updatedAt.bigEndian) { Data($0) }.base64EncodedString()
    }

    /// A version that a client sent.
    public init(_ text: String) {
        description = text
    }

    /// The strong entity tag (RFC 9110 §8.8.3).
    public var entityTag: String { "\"\(description)\"" }
}
