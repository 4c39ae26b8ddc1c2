import CFuzzer
import Glibc

// `fuzz INPUT [OPTIONS OF LIBFUZZER] [FOLDERS]`, `fuzz --list`: looks for bytes for which an invariant does not hold.
let arguments = CommandLine.arguments
guard arguments.count > 1, let input = FuzzedInput.all.first(where: { $0.name == arguments[1] }) else {
    print(FuzzedInput.all.map(\.name).joined(separator: "\n"))
    exit(arguments.dropFirst().first == "--list" ? 0 : 64)
}
/// What libFuzzer calls, without a context of its own.
nonisolated(unsafe) var check = input.check
var count = CommandLine.argc - 1
var values: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
let status = LLVMFuzzerRunDriver(&count, &values) { bytes, size in
    do {
        try check(Array(UnsafeBufferPointer(start: bytes, count: size)))
    } catch {
        fatalError("\(error)")
    }
    return 0
}
exit(status)
