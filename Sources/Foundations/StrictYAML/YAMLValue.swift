/// A validated value of a YAML file, in which omitted keys have their default values.
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
    /// The line, counted from 1, which for a default value is the line of the mapping that it was added to.
    public let line: Int
    /// Whether the value comes from the file rather than from a default.
    public let isGiven: Bool

    /// Whether the value exists, either in the file or as a default.
    public var isPresent: Bool { content != .absent }

    /// Returns the member called `name`, or an absent value if there is none or the value is not a mapping.
    public subscript(name: String) -> YAMLValue {
        if case .mapping(let members, _) = content, let member = members[name] { return member }
        return YAMLValue(content: .absent, file: file, line: line, isGiven: false)
    }

    /// The text, or `nil` if the value is not text.
    public var optionalText: String? {
        if case .text(let text) = content { text } else { nil }
    }

    /// The text, or `nil` if the value is the word `none` or is not text.
    public var textUnlessNone: String? {
        optionalText.flatMap { $0 == "none" ? nil : $0 }
    }

    /// The text, or an empty string if the value is not text.
    public var text: String { optionalText ?? "" }

    /// Returns the instance of the given type whose raw value is this text, or `nil` if there is none.
    public func optionalChoice<Word: RawRepresentable<String>>(_: Word.Type = Word.self) -> Word? {
        optionalText.flatMap(Word.init)
    }

    /// Returns the instance of the given type whose raw value is this text, or `refused` if there is none.
    ///
    /// For a key that is required or has a default, the result is `refused` only if the file was rejected.
    public func choice<Word: RawRepresentable<String>>(refused: Word) -> Word { optionalChoice() ?? refused }

    /// The integer, or `nil` if the value is not an integer.
    public var optionalNumber: Int? {
        if case .integer(let number) = content { number } else { nil }
    }

    /// The integer, or 0 if the value is not an integer.
    public var number: Int { optionalNumber ?? 0 }

    /// The floating-point number, or `nil` if the value is not a floating-point number.
    public var optionalReal: Double? {
        if case .real(let number) = content { number } else { nil }
    }

    /// The Boolean, or `nil` if the value is not a Boolean.
    public var optionalFlag: Bool? {
        if case .boolean(let flag) = content { flag } else { nil }
    }

    /// Whether the value is the Boolean `true`.
    public var flag: Bool { content == .boolean(true) }

    /// Whether the value is a mapping.
    public var isMapping: Bool {
        if case .mapping = content { true } else { false }
    }

    /// The items of the list, or an empty array if the value is not a list.
    public var items: [YAMLValue] {
        if case .list(let items) = content { items } else { [] }
    }

    /// The members of the mapping, or an empty array if the value is not a mapping.
    ///
    /// Members with fixed keys are in schema order, and other members are in file order.
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
    /// Compares the contents of two values and ignores their positions in files.
    public static func == (a: Self, b: Self) -> Bool { a.content == b.content }

    /// Hashes the content and ignores the position in the file.
    public func hash(into hasher: inout Hasher) { hasher.combine(content) }
}
