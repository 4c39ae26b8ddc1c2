import Foundation

/// An id that links an answer with its log lines and audit rows: a UUID in lower case.
public struct CorrelationID: Hashable, Sendable, CustomStringConvertible {
    private let value: UUID

    /// Reads a UUID of either case; nil for anything else.
    public init?(_ text: String) {
        guard text.utf8.count == 36, let value = UUID(uuidString: text) else { return nil }
        self.value = value
    }

    /// Makes a random id.
    public init() {
        // The system's own way to such an id opens a file each time.
        var system = SystemRandomNumberGenerator()
        let random = (system.next(), system.next())
        var bytes = withUnsafeBytes(of: random) { $0.loadUnaligned(as: uuid_t.self) }
        // Version 4 (RFC 9562 §5.4).
        bytes.6 = bytes.6 & 0x0F | 0x40
        bytes.8 = bytes.8 & 0x3F | 0x80
        value = UUID(uuid: bytes)
    }

    /// Makes a random id.
    public static func random() -> CorrelationID { CorrelationID() }

    /// The text, in lower case.
    public var description: String { value.uuidString.lowercased() }
}
