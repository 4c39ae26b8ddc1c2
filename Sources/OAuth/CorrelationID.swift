import Foundation

/// What ties an answer, the lines it caused in the logs and its audit rows together: a UUID in lower case.
public struct CorrelationID: Hashable, Sendable, CustomStringConvertible {
    private let value: UUID

    /// Reads a UUID of either case; nil for anything else.
    public init?(_ text: String) {
        guard text.utf8.count == 36, let value = UUID(uuidString: text) else { return nil }
        self.value = value
    }

    /// A new one.
    public init() {
        value = UUID()
    }

    /// A new one.
    public static func random() -> CorrelationID { CorrelationID() }

    /// The text, in lower case.
    public var description: String { value.uuidString.lowercased() }
}
