import ArgumentParser
import Glibc

/// A help screen in the language of the person at the terminal.
///
/// The argument parser writes it in English; here its sentences are looked up, and its lines are wrapped.
struct HelpScreen {
    /// The column at which the sentences about options and commands begin.
    private static let column = 26
    /// Characters of a line where stdout is no terminal, as the parser has it.
    private static let usualWidth = 80
    /// Characters of a line in which the parser wraps nothing.
    private static let unwrapped = 100_000
    /// The parser's own titles.
    private static let titles: [ScreenLanguage: [String: String]] = [
        .german: [
            "OVERVIEW": "ÜBERBLICK", "USAGE": "AUFRUF", "ARGUMENTS": "ARGUMENTE", "OPTIONS": "OPTIONEN",
            "SUBCOMMANDS": "BEFEHLE",
        ]
    ]

    private let sentences: [String: String]
    private let titles: [String: String]
    private let width: Int

    /// A screen.
    ///
    /// - Parameters:
    ///   - sentences: The sentences by the English ones.
    ///   - titles: The titles by the English ones.
    ///   - width: Characters of a line.
    init(_ sentences: [String: String], titles: [String: String], width: Int) {
        self.sentences = sentences
        self.titles = titles
        self.width = width
    }

    /// The text that a request for help, the version or a completion script is answered with.
    static func text<Root: RootCommand>(_: Root.Type, for error: any Error) -> String {
        let language = ScreenLanguage.current
        let english = Root.fullMessage(for: error, columns: unwrapped)
        guard english.hasPrefix("OVERVIEW: "), language != .english, let own = Root.translatedHelp[language],
            let shared = SharedHelp.translated[language]
        else { return Root.fullMessage(for: error) }
        let width = Output.width(of: STDOUT_FILENO) ?? usualWidth
        return HelpScreen(own.merging(shared) { own, _ in own }, titles: titles[language] ?? [:], width: width)
            .translated(english)
    }

    /// The screen with each sentence that is known in the other language.
    func translated(_ english: String) -> String {
        english.split(separator: "\n", omittingEmptySubsequences: false)
            .flatMap { lines(of: String($0)) }.joined(separator: "\n")
    }

    private func lines(of line: String) -> [String] {
        if let (title, rest) = title(of: line) {
            guard let name = titles[title] else { return [line] }
            guard let sentence = sentence(rest) else { return [rest.isEmpty ? "\(name):" : "\(name): \(rest)"] }
            return Output.wrapped("\(name): \(sentence)", width)
        }
        if let match = line.wholeMatch(of: #/\s+See '(.+)' for detailed help\./#) {
            return [sentence("See '…' for detailed help.").map { "  " + $0.replacing("…", with: match.1) } ?? line]
        }
        let label = String(line.prefix(Self.column))
        if label.count == Self.column, label.last == " ", let about = sentence(String(line.dropFirst(Self.column))) {
            return wrapped(about, after: label)
        }
        return sentence(line).map { Output.wrapped($0, width) } ?? [line]
    }

    /// The title that a line begins with, such as `OPTIONS`, and what follows it.
    private func title(of line: String) -> (String, String)? {
        guard let match = line.wholeMatch(of: /([A-Z]+):( (.*))?/) else { return nil }
        return (String(match.1), match.3.map(String.init) ?? "")
    }

    /// A sentence in the other language, with the values that the parser put behind it; nil if it is not known.
    private func sentence(_ english: String) -> String? {
        guard let match = english.wholeMatch(of: /(.*?)(?: \(((?:values|default): .*)\))?/) else { return nil }
        guard let sentence = sentences[String(match.1)] else { return sentences[english] }
        guard let values = match.2 else { return sentence }
        let words = ["values: ", "; default: ", "default: "].reduce(String(values)) { text, word in
            sentences[word].map { text.replacing(word, with: $0) } ?? text
        }
        return "\(sentence) (\(words))"
    }

    private func wrapped(_ sentence: String, after label: String) -> [String] {
        let lines = Output.wrapped(sentence, max(Self.column, width - Self.column))
        let indent = String(repeating: " ", count: Self.column)
        return lines.enumerated().map { ($0.offset == 0 ? label : indent) + $0.element }
    }
}
