import FlowModel
import Glibc
public import OAuth

/// Answers that another program writes into stdin, a line each.
///
/// Bytes are read one at a time, so that what follows the line is left to whoever reads next.
public enum StandardInput {
    /// The most bytes of one line.
    public static let lineLimit = 4096

    /// The next line; nil at the end of the input.
    ///
    /// - Throws: A usage failure for a line that is too long.
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
