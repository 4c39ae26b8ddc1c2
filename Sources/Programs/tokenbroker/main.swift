// This small program prints cached tokens. For everything else, it runs the executable that contains all commands.
import Files
import Glibc

// The process handles tokens, so it must not leave a core dump.
var none = rlimit(rlim_cur: 0, rlim_max: 0)
setrlimit(__rlimit_resource_t(UInt32(RLIMIT_CORE.rawValue)), &none)

StandardStreams.occupy()

switch FastToken.printed(CommandLine.arguments) {
case nil: CommandProgram.run()
case 0?: exit(0)
case EPIPE?: StandardStreams.endByClosedPipe()
case let code?: CommandProgram.fail("Cannot write to standard output: \(String(cString: strerror(code)))")
}
