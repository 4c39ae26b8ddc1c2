import Glibc

/// The executable with the commands, which stands beside this one.
///
/// It is a file of its own because it carries Foundation, the argument parser and the network library: a process takes
/// longer to start with them than to get a cached token.
enum CommandProgram {
    private static let name = "/tokenbroker-programs"

    /// Becomes that program, with the same arguments and environment.
    ///
    /// Under its own name, by which the executable chooses, whatever the link was called that started this one.
    static func run() -> Never {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &path, path.count - name.utf8.count - 1)
        guard length > 0, let slash = path[..<length].lastIndex(of: CChar(UInt8(ascii: "/"))) else {
            fail("cannot find out where it is: \(String(cString: strerror(errno)))")
        }
        path.replaceSubrange(slash..., with: name.utf8CString)
        "tokenbroker".withCString { own in
            CommandLine.unsafeArgv[0] = UnsafeMutablePointer(mutating: own)
            _ = execv(path, CommandLine.unsafeArgv)
        }
        let place = path.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
        fail("cannot run \(place), which has its commands: \(String(cString: strerror(errno)))")
    }

    /// Ends this program with an error.
    static func fail(_ text: String) -> Never {
        let line = Array("tokenbroker: error: \(text)\n".utf8)
        write(STDERR_FILENO, line, line.count)
        exit(1)
    }
}
