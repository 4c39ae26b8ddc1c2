import Glibc
import Terminal

if FastToken.answered(CommandLine.arguments) { exit(ExitStatus.done.rawValue) }
await Program.run(TokenbrokerCommand.self)
