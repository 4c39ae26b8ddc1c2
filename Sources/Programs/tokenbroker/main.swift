// The program in front: a cached token is printed by it, everything else is left to the commands.
import Files
import Glibc

// A token passes through here; it does not end in a core file.
var none = rlimit(rlim_cur: 0, rlim_max: 0)
setrlimit(__rlimit_resource_t(UInt32(RLIMIT_CORE.rawValue)), &none)

StandardStreams.occupy()

switch FastToken.printed(CommandLine.arguments) {
case nil: CommandProgram.run()
case 0?: exit(0)
case let code?: CommandProgram.fail("standard output cannot be written: \(String(cString: strerror(code)))")
}
