// The program in front: a cached token is printed by it, everything else is left to the commands.
import Glibc

if FastToken.answered(CommandLine.arguments) { exit(0) }
CommandProgram.run()
