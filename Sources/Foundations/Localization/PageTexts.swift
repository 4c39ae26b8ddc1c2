public import FlowModel

/// The sentences of flows and pages in one language: a file of `Texts/`, and what a policy says instead.
public struct PageTexts: Sendable {
    /// The language of the sentences.
    public let language: LanguageTag
    private let table: [String: String]
    private let changed: [String: String]

    /// Sentences in a language; one that is not shipped is English but for the overrides.
    ///
    /// - Parameters:
    ///   - language: The language, of ``available(beside:)``.
    ///   - overrides: Sentences of an operator, by language and key.
    public init(_ language: LanguageTag, overrides: [String: [String: String]] = [:]) {
        self.language = language
        table = (Catalog.of(language) ?? .english).sentences
        changed = overrides.first { $0.key.lowercased() == language.rawValue }?.value ?? [:]
    }

    /// The languages that pages may have: those shipped, and those that an operator wrote sentences in.
    public static func available(beside overrides: [String: [String: String]] = [:]) -> [LanguageTag] {
        let own = overrides.keys.compactMap(LanguageTag.init(rawValue:)).filter { !Catalog.languages.contains($0) }
        return Catalog.languages + own.sorted { $0.rawValue < $1.rawValue }
    }

    /// The names of the sentences of flows and pages, which an operator may change.
    ///
    /// The others of a catalog are said by command lines, or are refusals: a page shows those, too, but programs are told
    /// the same, whose policy nobody knows.
    public static let keys = Set(
        Catalog.english.sentences.keys.filter { key in !others.contains { key.hasPrefix($0) } }
    )

    private static let others = [
        "cli.", "help.", "failure.", "list.", "query.", "refusal.", "row.", "tables.", "exactly",
    ]

    /// The names that stand in braces in a sentence, such as `app` in `to go on to {app}`.
    public static func placeholders(of text: String) -> Set<String> {
        Set(pieces(of: text).compactMap { if case .value(let name) = $0 { name } else { nil } })
    }

    /// The sentence of a name as it is written, with braces; nil if there is none.
    public func sentence(_ key: String) -> String? { changed[key] ?? table[key] }

    /// The sentence of a name with its values; the name itself if there is no sentence.
    public func text(_ key: String, _ values: [String: String] = [:]) -> String {
        Self.pieces(of: sentence(key) ?? key).map { piece in
            switch piece {
            case .words(let words): words
            case .value(let name): values[name] ?? ""
            }
        }.joined()
    }

    /// The words of a sentence with its values, in the language of the page.
    public func words(of text: Text) -> String { text.words(sentence) }

    /// The parts of a sentence: words, and the places of values.
    public enum Piece: Hashable, Sendable {
        /// Words as they are.
        case words(String)
        /// The place of a value, by its name.
        case value(String)
    }

    /// The parts of a sentence, in order; braces that hold no name are words.
    public static func pieces(of text: String) -> [Piece] {
        var pieces: [Piece] = []
        var words = text.startIndex
        var place = text.startIndex
        while let open = text[place...].firstIndex(of: "{") {
            let name = text[text.index(after: open)...].prefix { !"{}\"…".contains($0) }
            guard name.endIndex < text.endIndex, text[name.endIndex] == "}" else {
                place = text.index(after: open)
                continue
            }
            if open > words { pieces.append(.words(String(text[words..<open]))) }
            pieces.append(.value(String(name)))
            place = text.index(after: name.endIndex)
            words = place
        }
        if words < text.endIndex { pieces.append(.words(String(text[words...]))) }
        return pieces
    }
}
