public import Foundation

/// A password, a token, a key or the like; it prints as `<redacted>` wherever it is printed.
///
/// It is not `Codable`, so it cannot slip into a reply; code that sends or stores one must call ``reveal()``.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let bytes: Data

    /// Makes a secret of a text, as UTF-8.
    public init(_ text: String) {
        bytes = Data(text.utf8)
    }

    /// Makes a secret of bytes.
    public init(bytes: some Sequence<UInt8>) {
        self.bytes = Data(bytes)
    }

    /// Returns the text itself, for the one place that must have it.
    public func reveal() -> String { String(decoding: bytes, as: UTF8.self) }

    /// Returns the bytes themselves, for the one place that must have them.
    public func revealBytes() -> Data { bytes }

    /// The length in bytes.
    public var count: Int { bytes.count }

    /// Always `<redacted>`.
    public var description: String { "<redacted>" }

    /// Always `<redacted>`.
    public var debugDescription: String { "<redacted>" }

    /// Shows nothing to `dump`.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Compares in time that depends on the lengths only.
    public static func == (a: Secret, b: Secret) -> Bool {
        guard a.bytes.count == b.bytes.count else { return false }
        return zip(a.bytes, b.bytes).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension Secret {
    /// True for a token that can stand behind `Bearer` in a header field (RFC 6750 §2.1).
    public var isBearerToken: Bool {
        count > 0
            && revealBytes().withUnsafeBytes { bytes in
                bytes.allSatisfy { $0.isUnreserved || "+/=".utf8.contains($0) }
            }
    }
}
