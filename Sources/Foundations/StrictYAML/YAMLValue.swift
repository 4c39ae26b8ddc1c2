/// A validated value, with defaults for omitted keys.
public struct YAMLValue: Sendable {
    enum Content: Hashable, Sendable {
        case absent
        case boolean(Bool)
        case integer(Int)
        case real(Double)
        case text(String)
        case list([YAMLValue])
        case mapping([String: YAMLValue], order: [String])
    }

    let content: Content

    /// The name of the file, as specified by the caller.
    public let file: String
    /// The line, counted from 1.
    ///
    /// A default value has the line of the node that it belongs to.
    public let line: Int
    /// Whether the value comes from the file rather than from a default.
    public let isGiven: Bool

    /// Whether there is a value, from the file or by default.
    public var isPresent: Bool { content != .absent }

    /// Returns the member called `name`, or an absent value if there is none or the value is not a mapping.
    public subscript(name: String) -> YAMLValue {
        if case .mapping(let members, _) = content, let member = members[name] { return member }
        return YAMLValue(content: .absent, file: file, line: line, isGiven: false)
    }

    /// The text, or `nil` for any other value.
    public var optionalText: String? {
        if case .text(let text) = content { text } else { nil }
    }

    /// The text, or `nil` for the word `none` and for a value that is not text.
    public var textUnlessNone: String? {
        optionalText.flatMap { $0 == "none" ? nil : $0 }
    }

    /// The text, or an empty string for any other value.
    public var text: String { optionalText ?? "" }

    /// Returns the text as a value of the given type, or `nil` if there is no such value.
    public func optionalChoice<Word: RawRepresentable<String>>(_: Word.Type = Word.self) -> Word? {
        optionalText.flatMap(Word.init)
    }

    /// Returns the value of a choice that is required or has a default.
    ///
    /// If it is missing or invalid, returns `refused`.
    public func choice<Word: RawRepresentable<String>>(refused: Word) -> Word { optionalChoice() ?? refused }

    /// The integer, or `nil` for any other value.
    public var optionalNumber: Int? {
        if case .integer(let number) = content { number } else { nil }
    }

    /// The integer, or 0 for any other value.
    public var number: Int { optionalNumber ?? 0 }

    /// The floating-point number, or `nil` for any other value.
    public var optionalReal: Double? {
        if case .real(let number) = content { number } else { nil }
    }

    /// The Boolean, or `nil` for any other value.
    public var optionalFlag: Bool? {
        if case .boolean(let flag) = content { flag } else { nil }
    }

    /// Whether the value is `true`.
    public var flag: Bool { content == .boolean(true) }

    /// Whether the value is a mapping.
    public var isMapping: Bool {
        if case .mapping = content { true } else { false }
    }

    /// The items of a list, or an empty array for any other value.
    public var items: [YAMLValue] {
        if case .list(let items) = content { items } else { [] }
    }

    /// The members of a mapping in file order, or an empty array for any other value.
    public var members: [(name: String, value: YAMLValue)] {
        guard case .mapping(let members, let order) = content else { return [] }
        return order.compactMap { name in members[name].map { (name, $0) } }
    }

    /// Returns a problem at the line of this value.
    public func problem(_ message: String) -> Problem { Problem(file: file, line: line, message: message) }

    /// Returns a warning at the line of this value.
    public func warning(_ message: String) -> Problem {
        Problem(file: file, line: line, message: message, severity: .warning)
    }
}

extension YAMLValue: Hashable {
    /// Compares the contents, not the positions.
    public static func == (a: Self, b: Self) -> Bool { a.content == b.content }

    /// Hashes the contents.
    public func hash(into hasher: inout Hasher) { hasher.combine(content) }
}
