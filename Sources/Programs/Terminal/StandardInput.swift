import Files
import FlowModel
import Glibc
public import OAuth

/// Reads secrets from standard input, one per line.
///
/// It reads one byte at a time, so that the next reader gets the rest.
public enum StandardInput {
    /// The maximum length of a line, in bytes.
    public static let lineLimit = 4096

    /// Returns the next line without its line end, or `nil` at the end of the input.
    ///
    /// - Throws: A usage failure if the line is too long, is not UTF-8, begins with a byte order mark or contains a NUL.
    public static func line() throws(CommandFailure) -> Secret? { try line(from: STDIN_FILENO) }

    /// Reads a line from a descriptor.
    static func line(from descriptor: Int32) throws(CommandFailure) -> Secret? {
        var bytes: [UInt8] = []
        while true {
            var byte: UInt8 = 0
            let count = read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return bytes.isEmpty ? nil : try checked(bytes) }
            if byte == 0x0A { break }
            guard bytes.count < lineLimit else { throw .usage(Text("cli.terminal.longLine")) }
            bytes.append(byte)
        }
        // A carriage return belongs to the line end only in front of a line feed.
        return try checked(bytes.last == 0x0D ? Array(bytes.dropLast()) : bytes)
    }

    private static func checked(_ line: [UInt8]) throws(CommandFailure) -> Secret {
        if line.starts(with: ByteOrderMark.utf8) { throw .usage(Text("cli.terminal.markedLine")) }
        if line.contains(0) { throw .usage(Text("cli.terminal.nulInLine")) }
        guard String(validating: line, as: UTF8.self) != nil else { throw .usage(Text("cli.terminal.lineNotUTF8")) }
        return Secret(bytes: line)
    }
}
