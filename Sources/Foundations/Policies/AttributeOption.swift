public import FlowModel

/// One of the answers that an attribute may have (B2C's `Enumeration`).
public struct AttributeOption: Hashable, Sendable, Codable {
    /// The answer, as it is stored and stands in tokens.
    public let value: String
    /// The words that the person reads, by language; empty if the value is said.
    public internal(set) var label: [String: String] = [:]
    /// True if it is chosen for somebody who signs up, until they choose.
    public internal(set) var isSelected = false

    /// The words for a person who reads these languages.
    public func words(in languages: [LanguageTag]) -> String { label.text(in: languages) ?? value }
}

extension AttributeOption: ExpressibleByStringLiteral {
    /// An answer without words of its own.
    public init(stringLiteral value: String) { self.init(value: value) }
}
