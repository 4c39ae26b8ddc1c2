public import FlowModel

/// The sentences of flows and pages in one language, from a catalog in `Texts/` and the overrides of a policy.
public struct PageTexts: Sendable {
    /// The language of the sentences.
    public let language: LanguageTag
    private let table: [String: String]
    private let changed: [String: String]

    /// Creates the sentences in one of the languages that ``available(beside:)`` returns.
    ///
    /// The operator's sentences in `overrides`, by language and key, replace those of the catalog. A language without a
    /// catalog uses the English catalog.
    public init(_ language: LanguageTag, overrides: [String: [String: String]] = [:]) {
        self.language = language
        table = (Catalog.of(language) ?? .english).sentences
        changed = overrides.first { $0.key.lowercased() == language.rawValue }?.value ?? [:]
    }

    /// Returns the languages in which pages can be displayed, which have a catalog or operator overrides.
    public static func available(beside overrides: [String: [String: String]] = [:]) -> [LanguageTag] {
        let own = overrides.keys.compactMap(LanguageTag.init(rawValue:)).filter { !Catalog.languages.contains($0) }
        return Catalog.languages + own.sorted { $0.rawValue < $1.rawValue }
    }

    /// The keys of the sentences of flows and pages, which operators can override.
    ///
    /// Sentences of refusals cannot be overridden, because programs receive them independently of any policy.
    public static let keys = Set(
        Catalog.english.sentences.keys.filter { key in !others.contains { key.hasPrefix($0) } }
    )

    private static let others = [
        "cli.", "help.", "failure.", "list.", "query.", "refusal.", "row.", "tables.", "exactly",
    ]

    /// Returns the names of the placeholders in a sentence, such as `app` in `Sign in to continue to {app}`.
    public static func placeholders(of text: String) -> Set<String> {
        Set(pieces(of: text).compactMap { if case .value(let name) = $0 { name } else { nil } })
    }

    /// Returns the sentence for a key, with its placeholders in braces, or `nil` if no sentence has this key.
    public func sentence(_ key: String) -> String? { changed[key] ?? table[key] }

    /// Returns the sentence for a key, or the key itself if no sentence has it, with the placeholders filled in.
    public func text(_ key: String, _ values: [String: String] = [:]) -> String {
        Self.pieces(of: sentence(key) ?? key).map { piece in
            switch piece {
            case .words(let words): words
            case .value(let name): values[name] ?? ""
            }
        }.joined()
    }

    /// Returns the sentence that `text` refers to, in the language of the page and with its placeholders filled in.
    public func words(of text: Text) -> String { text.words(sentence) }

    /// A part of a sentence, which is either literal text or a placeholder.
    public enum Piece: Hashable, Sendable {
        case words(String)
        case value(String)
    }

    /// Splits a sentence into its parts, in order; braces that do not enclose a name are literal text.
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
