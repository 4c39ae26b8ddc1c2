/// A value that has the shape it must have; what the file left out is there with its default.
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

    /// The file, as the caller named it.
    public let file: String
    /// The line, counted from 1; of a default, that of what it belongs to.
    public let line: Int
    /// True if the file has the key, rather than leaving the default.
    public let isGiven: Bool

    /// True if there is a value, from the file or by default.
    public var isPresent: Bool { content != .absent }

    /// The member of a mapping; what is not there is absent.
    public subscript(name: String) -> YAMLValue {
        if case .mapping(let members, _) = content, let member = members[name] { return member }
        return YAMLValue(content: .absent, file: file, line: line, isGiven: false)
    }

    /// The text, if it is one.
    public var optionalText: String? {
        if case .text(let text) = content { text } else { nil }
    }

    /// The text, unless it is the word `none`.
    public var textUnlessNone: String? {
        optionalText.flatMap { $0 == "none" ? nil : $0 }
    }

    /// The text, or an empty one.
    public var text: String { optionalText ?? "" }

    /// The word, if it is one of the type's.
    public func optionalChoice<Word: RawRepresentable<String>>(_: Word.Type = Word.self) -> Word? {
        optionalText.flatMap(Word.init)
    }

    /// The word of a ``Shape/choice(of:)`` that has a default, or that the file must have.
    ///
    /// - Parameter refused: Stands for a word that the shape has refused; the file is not taken then.
    /// - Returns: The word.
    public func choice<Word: RawRepresentable<String>>(refused: Word) -> Word { optionalChoice() ?? refused }

    /// The number, if it is one.
    public var optionalNumber: Int? {
        if case .integer(let number) = content { number } else { nil }
    }

    /// The number, or 0.
    public var number: Int { optionalNumber ?? 0 }

    /// The number that need not be whole, if it is one.
    public var optionalReal: Double? {
        if case .real(let number) = content { number } else { nil }
    }

    /// The truth, if it is one.
    public var optionalFlag: Bool? {
        if case .boolean(let flag) = content { flag } else { nil }
    }

    /// True if the value is `true`.
    public var flag: Bool { content == .boolean(true) }

    /// True for a mapping.
    public var isMapping: Bool {
        if case .mapping = content { true } else { false }
    }

    /// The items of a list, or none.
    public var items: [YAMLValue] {
        if case .list(let items) = content { items } else { [] }
    }

    /// The members of a mapping in the file's order, or none.
    public var members: [(name: String, value: YAMLValue)] {
        guard case .mapping(let members, let order) = content else { return [] }
        return order.compactMap { name in members[name].map { (name, $0) } }
    }

    /// A problem at this line.
    public func problem(_ message: String) -> Problem { Problem(file: file, line: line, message: message) }

    /// A warning at this line.
    public func warning(_ message: String) -> Problem {
        Problem(file: file, line: line, message: message, severity: .warning)
    }
}

extension YAMLValue: Hashable {
    /// Compares what is said, not where.
    public static func == (a: Self, b: Self) -> Bool { a.content == b.content }

    /// Hashes what is said.
    public func hash(into hasher: inout Hasher) { hasher.combine(content) }
}
