import Glibc

/// The process's standard input, output and error, any of which may already be closed when the process starts.
public enum StandardStreams {
    /// Occupies the descriptor numbers of closed streams, so that later files and sockets do not get these numbers.
    ///
    /// Using a closed stream still fails, because input is opened for writing only, and the others for reading only.
    public static func occupy() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Prints a line to standard output, or ends the process with SIGPIPE if the reader has closed the pipe.
    public static func print(_ line: String) throws(FileError) {
        try print(Array("\(line)\n".utf8))
    }

    /// Writes bytes to standard output, or ends the process with SIGPIPE if the reader has closed the pipe.
    public static func print(_ bytes: [UInt8]) throws(FileError) {
        switch write(bytes, to: STDOUT_FILENO) {
        case 0: return
        case EPIPE: endByClosedPipe()
        case let code: throw FileError(errno: code)
        }
    }

    /// Writes all bytes to an open descriptor, and returns 0 or the `errno` of the failed call.
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

    /// Ends the process with SIGPIPE, as is usual after a write to a pipe that the reader has closed (`… | head -1`).
    private static func endByClosedPipe() -> Never {
        signal(SIGPIPE, SIG_DFL)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(SIGPIPE)
        _exit(128 + SIGPIPE)
    }
}
