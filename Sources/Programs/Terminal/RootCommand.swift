public import ArgumentParser
import FlowModel
import OAuth
import Spelling

/// The root command of a program.
public protocol RootCommand: ParsableCommand {
    /// The version that `--version` prints, which must be readable without loading the help texts.
    static var version: String { get }
    /// The options that take a value and can also precede the subcommand, such as `--socket`.
    static var globalOptions: Set<String> { get }
}

extension RootCommand {
    /// The default global options, which take a value and can precede the subcommand.
    public static var globalOptions: Set<String> { ["--socket", "--correlation-id", "--account"] }

    /// Moves global options after the subcommand, where the parser accepts them.
    ///
    /// For example, `--json accounts` becomes `accounts --json`.
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
        // An unknown command stays before the options, so that the error message mentions the command.
        let unknown = subcommands.isEmpty ? [] : Array(rest.prefix { !$0.hasPrefix("-") })
        return words + unknown + moved + rest.dropFirst(unknown.count)
    }
}

struct CommandPath {
    /// The program's name, followed by the names of the commands as the user typed them.
    private(set) var words: [String]
    private(set) var command: any ParsableCommand.Type
    private(set) var problem: CommandFailure?

    init<Root: RootCommand>(_ arguments: [String], of root: Root.Type) {
        words = [Root.configuration.commandName ?? "tokenbroker"]
        command = Root.self
        let typed = arguments.prefix { !$0.hasPrefix("-") }
        let isHelp = typed.first == "help"
        // The parser implements `help` as a subcommand of the root command, so the root command must parse it.
        defer { if isHelp { command = Root.self } }
        for word in typed.dropFirst(isHelp ? 1 : 0) {
            let subcommands = command.configuration.subcommands
            guard !subcommands.isEmpty, word != "help" else { break }
            guard let next = subcommands.first(where: { $0._commandName == word }) else {
                problem = unknown(word, among: subcommands.map { $0._commandName })
                return
            }
            command = next
            words.append(word)
        }
        let options = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }.map { $0.prefix { $0 != "=" } }
        if options.contains(where: { AnswerOptions.secrets.contains(String($0.dropFirst(2))) }) {
            problem = .usage(Text("cli.terminal.noSecrets"), hint: hint)
        }
    }

    var hint: Text { Text("cli.terminal.help", ["command": words.joined(separator: " ")]) }

    private func unknown(_ word: String, among names: [String]) -> CommandFailure {
        let command = "\(words.joined(separator: " ")) \(PlainText.line(word))"
        let nearest = NearestName.of(word, among: names)
        return .usage(Text.noCommand(command, nearest: nearest), hint: hint)
    }
}
