import Glibc

/// Input, output and errors of the process, which whoever starts it may have closed.
public enum StandardStreams {
    /// Takes the numbers of closed streams, so that no file or socket that is opened later gets one of them.
    ///
    /// Each is opened the wrong way round: writing to an output that was closed fails as before.
    public static func occupy() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Prints a line to standard output.
    ///
    /// - Throws: The error number.
    public static func print(_ line: String) throws(FileError) {
        let code = write(Array("\(line)\n".utf8), to: STDOUT_FILENO)
        guard code == 0 else { throw FileError(errno: code) }
    }

    /// Writes all bytes to an open descriptor, however many calls that takes.
    ///
    /// - Returns: The `errno` of the call that failed, or 0.
    public static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                start += count
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }
}
