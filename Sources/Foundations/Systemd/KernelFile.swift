import Foundation

/// A file of `/proc`, which reports no length and comes in pieces.
public enum KernelFile {
    /// The most bytes that are read.
    private static let longest = 16 << 20

    /// Reads a file to its end; nil if it cannot be opened.
    public static func text(_ path: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        var bytes = Data()
        while bytes.count < longest, let piece = try? file.read(upToCount: 64 << 10), !piece.isEmpty {
            bytes.append(piece)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
