public import ArgumentParser
import FlowModel
import Glibc
import Localization

extension ArgumentHelp {
    /// What an option is for: a sentence of the catalogs.
    public static func text(_ key: String, valueName: String? = nil) -> ArgumentHelp {
        ArgumentHelp(Text(key).text, valueName: valueName)
    }
}

extension CommandConfiguration {
    /// A command whose help stands in the catalogs, by the keys of its sentences.
    public init(
        _ name: String,
        _ abstract: String,
        more: String? = nil,
        version: String = "",
        subcommands: [any ParsableCommand.Type] = []
    ) {
        self.init(
            commandName: name,
            abstract: Text(abstract).text,
            discussion: more.map { Text($0).text } ?? "",
            version: version,
            subcommands: subcommands
        )
    }
}

/// A help screen in the language of the person at the terminal.
///
/// The argument parser has words of its own in English only. They are looked up here, and its lines are wrapped.
struct HelpScreen {
    /// The column at which the sentences about options and commands begin.
    private static let column = 26
    /// Characters of a line where stdout is no terminal, as the parser has it.
    private static let usualWidth = 80
    /// Characters of a line in which the parser wraps nothing.
    private static let unwrapped = 100_000

    private let language: LanguageTag
    private let width: Int
    /// The parser's titles, by its English ones.
    private let titles: [String: String]
    /// The parser's sentences and words, by its English ones.
    private let words: [String: String]

    /// A screen with lines of `width` characters.
    init(_ language: LanguageTag, width: Int) {
        self.language = language
        self.width = width
        titles = Self.table(
            [
                "help.parser.overview", "help.parser.usage", "help.parser.arguments", "help.parser.options",
                "help.parser.subcommands",
            ],
            language
        )
        words = Self.table(["help.parser.help", "help.parser.version", "help.parser.subcommandHelp"], language)
    }

    private static func table(_ keys: [String], _ language: LanguageTag) -> [String: String] {
        Dictionary(keys.map { (Text($0).english, Text($0).words(in: language)) }) { $1 }
    }

    /// The text that a request for help, the version or a completion script is answered with.
    static func text<Root: RootCommand>(_: Root.Type, for error: any Error) -> String {
        let language = ScreenLanguage.current
        let text = language == .english ? "" : Root.fullMessage(for: error, columns: unwrapped)
        guard text.hasPrefix(Text("help.parser.overview").english + ":") else { return Root.fullMessage(for: error) }
        return HelpScreen(language, width: Output.width(of: STDOUT_FILENO) ?? usualWidth).translated(text)
    }

    /// The screen with the parser's words in the other language.
    func translated(_ screen: String) -> String {
        screen.split(separator: "\n", omittingEmptySubsequences: false)
            .flatMap { lines(of: String($0)) }.joined(separator: "\n")
    }

    private func lines(of line: String) -> [String] {
        if let match = line.wholeMatch(of: /([A-Z]+):( (.*))?/), let title = titles[String(match.1)] {
            guard let rest = match.3 else { return ["\(title):"] }
            // What is typed stays on one line.
            return match.1 == Text("help.parser.usage").english
                ? ["\(title): \(rest)"] : Output.wrapped("\(title): \(rest)", width)
        }
        if let match = line.wholeMatch(of: #/\s+See '(.+)' for detailed help\./#) {
            return ["  " + Text("help.parser.more", ["command": match.1]).words(in: language)]
        }
        let label = String(line.prefix(Self.column))
        if label.count == Self.column, label.hasPrefix("  "), label.last == " " {
            return wrapped(sentence(String(line.dropFirst(Self.column))), after: label)
        }
        return line.hasPrefix(" ") ? [line] : Output.wrapped(line, width)
    }

    /// A sentence about an option, with the values that the parser put behind it.
    private func sentence(_ text: String) -> String {
        if let match = text.wholeMatch(of: #/(.*?) \(values: (.*?)(?:; default: (.*))?\)/#) {
            return with([value("values", match.2), match.3.map { value("default", $0) }], match.1)
        }
        if let match = text.wholeMatch(of: #/(.*?) \(default: (.*)\)/#) {
            return with([value("default", match.2)], match.1)
        }
        return words[text] ?? text
    }

    private func value(_ kind: String, _ value: Substring) -> String {
        Text("help.parser.\(kind)", ["value": value]).words(in: language)
    }

    private func with(_ facts: [String?], _ sentence: Substring) -> String {
        "\(words[String(sentence)] ?? String(sentence)) (\(facts.compactMap(\.self).joined(separator: "; ")))"
    }

    private func wrapped(_ sentence: String, after label: String) -> [String] {
        let lines = Output.wrapped(sentence, max(Self.column, width - Self.column))
        let indent = String(repeating: " ", count: Self.column)
        return lines.enumerated().map { ($0.offset == 0 ? label : indent) + $0.element }
    }
}
