public import ArgumentParser
import FlowModel
import Glibc
import Localization

extension ArgumentHelp {
    /// Returns an option's help text from the catalogs.
    public static func text(_ key: String, valueName: String? = nil) -> ArgumentHelp {
        ArgumentHelp(Text(key).text, valueName: valueName)
    }
}

extension CommandConfiguration {
    /// Creates a configuration with help texts from the catalogs, which are looked up by their keys.
    public init(
        _ name: String,
        _ abstract: String,
        more: String? = nil,
        version: String = "",
        subcommands: [any ParsableCommand.Type] = [],
        groups: [CommandGroup] = []
    ) {
        self.init(
            commandName: name,
            abstract: Text(abstract).text,
            discussion: more.map { Text($0).text } ?? "",
            version: version,
            subcommands: subcommands,
            groupedSubcommands: groups
        )
    }
}

extension CommandGroup {
    /// Creates a group of commands on the help screen, with a heading that is looked up by its key.
    public init(_ name: String, _ subcommands: [any ParsableCommand.Type]) {
        self.init(name: Text(name).text, subcommands: subcommands)
    }
}

/// A help screen in the user's language.
///
/// The argument parser's own words exist only in English. This type translates these words and wraps the lines.
struct HelpScreen {
    /// The column at which descriptions of options and commands start.
    private static let column = 26
    /// The number of characters per line if standard output is not a terminal.
    ///
    /// This is the parser's own default.
    private static let usualWidth = 80
    /// A width at which the parser does not wrap lines.
    private static let unwrapped = 100_000

    private let language: LanguageTag
    private let width: Int
    /// The parser's titles in the user's language, by their English text.
    private let titles: [String: String]
    /// The parser's other words in the user's language, by their English text.
    private let words: [String: String]

    /// Creates a screen with lines of at most `width` characters.
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

    /// Returns the output of a request for help, the version or a completion script.
    static func text<Root: RootCommand>(_: Root.Type, for error: any Error) -> String {
        let language = ScreenLanguage.current
        let text = language == .english ? "" : Root.fullMessage(for: error, columns: unwrapped)
        guard text.hasPrefix(Text("help.parser.overview").english + ":") else {
            return withShortHeadings(Root.fullMessage(for: error))
        }
        let screen = HelpScreen(language, width: Output.width(of: STDOUT_FILENO) ?? usualWidth)
        return screen.translated(withShortHeadings(text))
    }

    /// Removes the word that the parser appends to the name of each command group: `ACCOUNT SUBCOMMANDS:`.
    static func withShortHeadings(_ screen: String) -> String {
        screen.replacing(" SUBCOMMANDS:\n", with: ":\n")
    }

    /// Translates the parser's words in a screen.
    func translated(_ screen: String) -> String {
        screen.split(separator: "\n", omittingEmptySubsequences: false)
            .flatMap { lines(of: String($0)) }.joined(separator: "\n")
    }

    private func lines(of line: String) -> [String] {
        if let match = line.wholeMatch(of: /([A-Z]+):( (.*))?/), let title = titles[String(match.1)] {
            guard let rest = match.3 else { return ["\(title):"] }
            // Text that users copy or type is not wrapped.
            return match.1 == Text("help.parser.usage").english
                ? ["\(title): \(rest)"] : TextTable.wrapped("\(title): \(rest)", width)
        }
        if let match = line.wholeMatch(of: #/\s+See '(.+)' for detailed help\./#) {
            return ["  " + Text("help.parser.more", ["command": match.1]).words(in: language)]
        }
        let label = String(line.prefix(Self.column))
        if label.count == Self.column, label.hasPrefix("  "), label.last == " " {
            return wrapped(sentence(String(line.dropFirst(Self.column))), after: label)
        }
        return line.hasPrefix(" ") ? [line] : TextTable.wrapped(line, width)
    }

    /// Translates the description of an option, with the values that the parser appended.
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
        let lines = TextTable.wrapped(sentence, max(Self.column, width - Self.column))
        let indent = String(repeating: " ", count: Self.column)
        return lines.enumerated().map { ($0.offset == 0 ? label : indent) + $0.element }
    }
}
