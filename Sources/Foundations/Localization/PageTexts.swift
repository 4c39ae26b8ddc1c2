public import FlowModel
import Foundation

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
        table = Self.shipped[language] ?? Self.shipped[language.primary] ?? Self.shipped[.english] ?? [:]
        changed = overrides.first { $0.key.lowercased() == language.rawValue }?.value ?? [:]
    }

    /// The languages that pages may have: those shipped, and those that an operator wrote sentences in.
    public static func available(beside overrides: [String: [String: String]] = [:]) -> [LanguageTag] {
        let own = overrides.keys.compactMap(LanguageTag.init(rawValue:)).filter { shipped[$0] == nil }
        return [.english, .german] + own.sorted { $0.rawValue < $1.rawValue }
    }

    /// The names of all sentences.
    public static let keys = keys(of: .english)

    /// The names of the sentences that are shipped in a language.
    public static func keys(of language: LanguageTag) -> Set<String> { Set((shipped[language] ?? [:]).keys) }

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
        var rest = Substring(text)
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let name = rest[rest.index(after: open)..<close]
            if open > rest.startIndex { pieces.append(.words(String(rest[..<open]))) }
            pieces.append(.value(String(name)))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { pieces.append(.words(String(rest))) }
        return pieces
    }

    private static let shipped: [LanguageTag: [String: String]] = [
        .english: read(PackageResources.en_json),
        .german: read(PackageResources.de_json),
    ]

    private static func read(_ bytes: [UInt8]) -> [String: String] {
        (try? JSONDecoder().decode([String: String].self, from: Data(bytes))) ?? [:]
    }
}
