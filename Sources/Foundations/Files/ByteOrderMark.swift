/// The bytes at the start of a text file that reveal its encoding.
public enum ByteOrderMark {
    /// U+FEFF in UTF-8, which some editors write at the start of a file.
    public static let utf8: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Returns the bytes of a text without a UTF-8 byte order mark at their start.
    public static func skipped<Bytes: Collection<UInt8>>(in bytes: Bytes) -> Bytes.SubSequence {
        bytes.starts(with: utf8) ? bytes.dropFirst(utf8.count) : bytes[...]
    }

    /// Returns `UTF-16` or `UTF-32` if the first bytes of a text have this encoding, or `nil` for any other text.
    ///
    /// Without a byte order mark, a NUL in one of the first two bytes identifies UTF-16.
    public static func wideEncoding(of bytes: some Collection<UInt8>) -> String? {
        let start = Array(bytes.prefix(4))
        if start == [0xFF, 0xFE, 0, 0] || start == [0, 0, 0xFE, 0xFF] { return "UTF-32" }
        guard start.count > 1 else { return nil }
        if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) { return "UTF-16" }
        return (start[0] == 0) != (start[1] == 0) ? "UTF-16" : nil
    }
}
