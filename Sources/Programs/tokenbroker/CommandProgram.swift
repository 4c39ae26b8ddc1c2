import Glibc

/// The executable in the same folder as `tokenbroker` that contains all commands.
///
/// Loading it takes longer than getting a cached token, so it is run only if there is no cached token to print.
enum CommandProgram {
    private static let name = "/tokenbroker-programs"

    /// Replaces this process with the executable, which selects its program by `argv[0]`, here always `tokenbroker`.
    static func run() -> Never {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &path, path.count - name.utf8.count - 1)
        guard length > 0, let slash = path[..<length].lastIndex(of: CChar(UInt8(ascii: "/"))) else {
            fail("cannot find its own path: \(String(cString: strerror(errno)))")
        }
        path.replaceSubrange(slash..., with: name.utf8CString)
        "tokenbroker".withCString { own in
            CommandLine.unsafeArgv[0] = UnsafeMutablePointer(mutating: own)
            _ = execv(path, CommandLine.unsafeArgv)
        }
        let place = path.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
        fail("cannot run \(place), which contains the commands: \(String(cString: strerror(errno)))")
    }

    static func fail(_ text: String) -> Never {
        let line = Array("tokenbroker: error: \(text)\n".utf8)
        write(STDERR_FILENO, line, line.count)
        exit(1)
    }
}
