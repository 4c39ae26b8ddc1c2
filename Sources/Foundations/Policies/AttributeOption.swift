public import FlowModel

/// One of the allowed values of an attribute (B2C's `Enumeration`).
public struct AttributeOption: Hashable, Sendable, Codable {
    /// The value, as stored and as included in tokens.
    public let value: String
    /// The labels by language.
    ///
    /// If there are none, the value itself is shown.
    public internal(set) var label: [String: String] = [:]
    /// Whether the option is preselected at sign-up.
    public internal(set) var isSelected = false

    /// Returns the label in the first of `languages` that has a label, or the value if none of them has one.
    public func words(in languages: [LanguageTag]) -> String { label.text(in: languages) ?? value }
}

extension AttributeOption: ExpressibleByStringLiteral {
    /// Creates an option without labels.
    public init(stringLiteral value: String) { self.init(value: value) }
}
