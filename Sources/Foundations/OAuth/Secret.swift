public import Foundation

/// A password, a token, a key or another secret, which is always printed as `<redacted>`.
///
/// The type is not `Codable`, so only code that calls ``reveal()`` can send or store a secret.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let bytes: Data

    /// Creates a secret from a string, encoded as UTF-8.
    public init(_ text: String) {
        bytes = Data(text.utf8)
    }

    /// Creates a secret from bytes.
    public init(bytes: some Sequence<UInt8>) {
        self.bytes = Data(bytes)
    }

    /// Returns the secret as a string.
    public func reveal() -> String { String(decoding: bytes, as: UTF8.self) }

    /// Returns the secret as bytes.
    public func revealBytes() -> Data { bytes }

    /// The length of the secret in bytes.
    public var count: Int { bytes.count }

    /// Always `<redacted>`.
    public var description: String { "<redacted>" }

    /// Always `<redacted>`.
    public var debugDescription: String { "<redacted>" }

    /// An empty mirror, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Compares two secrets in a time that depends only on their lengths.
    public static func == (a: Secret, b: Secret) -> Bool {
        guard a.bytes.count == b.bytes.count else { return false }
        return zip(a.bytes, b.bytes).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension Secret {
    /// Whether the secret is not empty and contains only characters that are allowed in a bearer token (RFC 6750 §2.1).
    public var isBearerToken: Bool {
        count > 0
            && revealBytes().withUnsafeBytes { bytes in
                bytes.allSatisfy { $0.isUnreserved || "+/=".utf8.contains($0) }
            }
    }
}
