public import ArgumentParser
import FlowModel
import OAuth
import Spelling

/// The command that a program is, above all its subcommands.
public protocol RootCommand: ParsableCommand {
    /// The commands and options that guides and other versions have and this one has not, such as `pin` and
    /// `sign-in --browser`.
    static var notYet: [String] { get }
}

/// The words at the beginning of a command line that name commands.
struct CommandPath {
    /// The program and the commands that were found, as they are typed.
    private(set) var words: [String]
    /// The command that the words lead to.
    private(set) var command: any ParsableCommand.Type
    /// The reason why the rest cannot be parsed, if that is known already.
    private(set) var problem: CommandFailure?

    /// Follows the words from a program's root command.
    init<Root: RootCommand>(_ arguments: [String], of root: Root.Type) {
        words = [Root.configuration.commandName ?? "tokenbroker"]
        command = Root.self
        let typed = arguments.prefix { !$0.hasPrefix("-") }
        let isHelp = typed.first == "help"
        // The help itself is the parser's, who knows it as a command of the root.
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

    /// The command whose help says more.
    var hint: Text { Text("cli.terminal.help", ["command": words.joined(separator: " ")]) }

    private func unknown(_ word: String, among names: [String], _ notYet: [String]) -> CommandFailure {
        let command = "\(words.joined(separator: " ")) \(PlainText.line(word))"
        if notYet.contains(path(to: word)) {
            return .usage(Text("cli.terminal.notInThisVersion", ["command": command]), hint: hint)
        }
        let nearest = NearestName.of(word, among: names)
        return .usage(Text.noCommand(command, nearest: nearest), hint: hint)
    }

    /// The words behind the program's name, as ``RootCommand/notYet`` has them.
    private func path(to word: String) -> String {
        (words.dropFirst() + [word]).joined(separator: " ")
    }
}
