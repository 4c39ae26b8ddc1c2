import Glibc

/// Standard input, output and error of the process.
///
/// The parent process may have closed any of them.
public enum StandardStreams {
    /// Occupies the descriptor numbers of closed streams, so that files and sockets opened later cannot get these
    /// numbers.
    ///
    /// Standard input is opened for writing and the others for reading, so using a closed stream still fails.
    public static func occupy() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Prints a line to standard output.
    ///
    /// - Throws: ``FileError`` with the `errno` of the failed call.
    public static func print(_ line: String) throws(FileError) {
        let code = write(Array("\(line)\n".utf8), to: STDOUT_FILENO)
        guard code == 0 else { throw FileError(errno: code) }
    }

    /// Writes all bytes to an open descriptor, in as many calls as needed.
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

    /// Ends the process with SIGPIPE, as is usual when the reader of a pipe has closed it (`tokenbroker accounts | head
    /// -1`).
    public static func endByClosedPipe() -> Never {
        signal(SIGPIPE, SIG_DFL)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(SIGPIPE)
        _exit(128 + SIGPIPE)
    }
}
