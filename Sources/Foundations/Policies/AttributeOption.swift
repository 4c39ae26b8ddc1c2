public import FlowModel

/// One of the allowed values of an attribute (`Enumeration` in Azure AD B2C).
public struct AttributeOption: Hashable, Sendable, Codable {
    /// The value that is stored and included in tokens.
    public let value: String
    /// The labels by language, or an empty dictionary to show the value itself.
    public internal(set) var label: [String: String] = [:]
    /// Whether the option is preselected at sign-up.
    public internal(set) var isSelected = false

    /// Returns the label in the first of `languages` that has a label, or the value if none of them has a label.
    public func words(in languages: [LanguageTag]) -> String { label.text(in: languages) ?? value }
}

extension AttributeOption: ExpressibleByStringLiteral {
    /// Creates an option without labels.
    public init(stringLiteral value: String) { self.init(value: value) }
}
