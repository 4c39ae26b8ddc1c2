import CFuzzer
import Glibc

// `fuzz INPUT [OPTIONS OF LIBFUZZER] [FOLDERS]` searches for bytes that violate an invariant of the input.
// `fuzz --list` lists the inputs.
guard Chosen.input != nil else {
    print(FuzzedInput.all.map(\.name).joined(separator: "\n"))
    exit(CommandLine.arguments.dropFirst().first == "--list" ? 0 : 64)
}
var count = CommandLine.argc - 1
var values: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
let status = LLVMFuzzerRunDriver(&count, &values) { bytes, size in
    do {
        try Chosen.input?.check(Array(UnsafeBufferPointer(start: bytes, count: size)))
    } catch {
        // libFuzzer writes the input to a file when the process aborts.
        print(error)
        fflush(nil)
        abort()
    }
    return 0
}
exit(status)
