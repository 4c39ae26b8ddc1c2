// This small program prints cached tokens. For everything else, it runs the executable that contains all commands.
import CLinux
import Files
import Glibc

// The process handles tokens, which a core dump would contain.
_ = clinux_deny_dumps()

StandardStreams.occupy()

switch FastToken.printed(CommandLine.arguments) {
case nil: CommandProgram.run()
case 0?: exit(0)
case let code?: CommandProgram.fail("Cannot write to standard output: \(String(cString: strerror(code)))")
}
