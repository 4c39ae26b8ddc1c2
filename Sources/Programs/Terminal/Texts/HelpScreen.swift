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
    /// Creates a configuration with the help texts for the catalog keys `abstract` and `more`.
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
    /// Creates a command group with the heading for the catalog key `name`.
    public init(_ name: String, _ subcommands: [any ParsableCommand.Type]) {
        self.init(name: Text(name).text, subcommands: subcommands)
    }
}

/// Translates a help screen, which the argument parser produces only in English, and wraps its lines.
struct HelpScreen {
    /// The column at which the descriptions start.
    private static let column = 26
    /// The line width if standard output is not a terminal, as in the argument parser.
    private static let usualWidth = 80
    private static let unwrapped = 100_000

    private let language: LanguageTag
    private let width: Int
    private let titles: [String: String]
    /// Maps the English descriptions of the parser's own options and commands to the user's language.
    private let words: [String: String]

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

    /// Returns the parser's output if `error` is a request for help, the version or a completion script.
    static func text<Root: RootCommand>(_: Root.Type, for error: any Error) -> String {
        let language = ScreenLanguage.current
        let text = language == .english ? "" : Root.fullMessage(for: error, columns: unwrapped)
        guard text.hasPrefix(Text("help.parser.overview").english + ":") else {
            return withShortHeadings(Root.fullMessage(for: error))
        }
        let screen = HelpScreen(language, width: Output.width(of: STDOUT_FILENO) ?? usualWidth)
        return screen.translated(withShortHeadings(text))
    }

    /// Removes the word `SUBCOMMANDS`, which the parser appends to the name of each command group.
    static func withShortHeadings(_ screen: String) -> String {
        screen.replacing(" SUBCOMMANDS:\n", with: ":\n")
    }

    func translated(_ screen: String) -> String {
        screen.split(separator: "\n", omittingEmptySubsequences: false)
            .flatMap { lines(of: String($0)) }.joined(separator: "\n")
    }

    private func lines(of line: String) -> [String] {
        if let match = line.wholeMatch(of: /([A-Z]+):( (.*))?/), let title = titles[String(match.1)] {
            guard let rest = match.3 else { return ["\(title):"] }
            // The usage line is not wrapped, because users copy it.
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

    /// Translates an option's description and the values that the parser appended to it.
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
