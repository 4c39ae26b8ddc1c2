public import ArgumentParser
import FlowModel
import OAuth
import Spelling

/// The root command of a program.
public protocol RootCommand: ParsableCommand {
    /// Commands and options that appear in guides or other versions but do not exist in this version, such as `pin` and
    /// `sign-in --browser`.
    static var notYet: [String] { get }
    /// The version that `--version` prints. It is separate from the commands' descriptions, because looking up their
    /// texts takes time.
    static var version: String { get }
    /// The options with a value that can also precede the subcommand, such as `--socket`.
    static var globalOptions: Set<String> { get }
}

extension RootCommand {
    /// The options of every command that calls the daemon.
    public static var globalOptions: Set<String> { ["--socket", "--correlation-id", "--account"] }

    /// Returns a command line with the global options moved behind the subcommand, where the parser accepts them.
    ///
    /// `tokenbroker --json accounts` becomes `tokenbroker accounts --json`. A command that does not have such an option
    /// still rejects it.
    static func movingGlobalOptions(_ arguments: [String]) -> [String] {
        var rest = arguments[...]
        var (words, moved): ([String], [String]) = ([], [])
        var subcommands = configuration.subcommands
        while let next = rest.first, !subcommands.isEmpty {
            let takesValue = globalOptions.contains(String(next.prefix { $0 != "=" }))
            if takesValue || next == "--json" {
                let count = takesValue && !next.contains("=") ? 2 : 1
                moved += rest.prefix(count)
                rest = rest.dropFirst(count)
            } else if let command = subcommands.first(where: { $0._commandName == next }) {
                words.append(next)
                rest = rest.dropFirst()
                subcommands = command.configuration.subcommands
            } else {
                break
            }
        }
        // A word that names no command stays in front, so that the error names it.
        let unknown = subcommands.isEmpty ? [] : Array(rest.prefix { !$0.hasPrefix("-") })
        return words + unknown + moved + rest.dropFirst(unknown.count)
    }
}

/// The leading words of a command line, which select a command.
struct CommandPath {
    /// The program and the commands, as typed.
    private(set) var words: [String]
    /// The command that the words select.
    private(set) var command: any ParsableCommand.Type
    /// The reason why the rest of the command line cannot be parsed, or `nil` if no problem is known.
    private(set) var problem: CommandFailure?

    /// Follows the words, starting at a program's root command.
    init<Root: RootCommand>(_ arguments: [String], of root: Root.Type) {
        words = [Root.configuration.commandName ?? "tokenbroker"]
        command = Root.self
        let typed = arguments.prefix { !$0.hasPrefix("-") }
        let isHelp = typed.first == "help"
        // The parser implements `help` as a subcommand of the root.
        defer { if isHelp { command = Root.self } }
        for word in typed.dropFirst(isHelp ? 1 : 0) {
            let subcommands = command.configuration.subcommands
            guard !subcommands.isEmpty, word != "help" else { break }
            guard let next = subcommands.first(where: { $0._commandName == word }) else {
                problem = unknown(word, among: subcommands.map { $0._commandName }, Root.notYet)
                return
            }
            command = next
            words.append(word)
        }
        let options = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }.map { $0.prefix { $0 != "=" } }
        if options.contains(where: { AnswerOptions.secrets.contains(String($0.dropFirst(2))) }) {
            problem = .usage(Text("cli.terminal.noSecrets"), hint: hint)
        } else if let option = options.first(where: { Root.notYet.contains(path(to: String($0))) }) {
            problem = .usage(
                Text("cli.terminal.notInThisVersion", ["command": "\(words.joined(separator: " ")) \(option)"]),
                hint: hint
            )
        }
    }

    /// A hint with the command that prints the relevant help.
    var hint: Text { Text("cli.terminal.help", ["command": words.joined(separator: " ")]) }

    private func unknown(_ word: String, among names: [String], _ notYet: [String]) -> CommandFailure {
        let command = "\(words.joined(separator: " ")) \(PlainText.line(word))"
        if notYet.contains(path(to: word)) {
            return .usage(Text("cli.terminal.notInThisVersion", ["command": command]), hint: hint)
        }
        let nearest = NearestName.of(word, among: names)
        return .usage(Text.noCommand(command, nearest: nearest), hint: hint)
    }

    /// Returns the path to a command or option, without the program's name, in the same form as in
    /// ``RootCommand/notYet``.
    private func path(to word: String) -> String {
        (words.dropFirst() + [word]).joined(separator: " ")
    }
}
