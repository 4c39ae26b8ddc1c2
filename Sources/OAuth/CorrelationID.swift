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
        value = UUID()
    }

    /// Makes a random id.
    public static func random() -> CorrelationID { CorrelationID() }

    /// The text, in lower case.
    public var description: String { value.uuidString.lowercased() }
}
