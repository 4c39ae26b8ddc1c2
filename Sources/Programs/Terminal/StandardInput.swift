import FlowModel
import Glibc
public import OAuth

/// Reads lines from standard input one byte at a time, so that the next reader gets the rest.
public enum StandardInput {
    /// The maximum length of a line, in bytes.
    public static let lineLimit = 4096

    /// Returns the next line, or `nil` at the end of the input, or throws a usage failure if the line is too long.
    public static func line() throws(CommandFailure) -> Secret? {
        var bytes: [UInt8] = []
        while true {
            var byte: UInt8 = 0
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return bytes.isEmpty ? nil : Secret(bytes: bytes) }
            if byte == 0x0A { break }
            guard bytes.count < lineLimit else { throw .usage(Text("cli.terminal.longLine")) }
            bytes.append(byte)
        }
        if bytes.last == 0x0D { bytes.removeLast() }
        return Secret(bytes: bytes)
    }
}
