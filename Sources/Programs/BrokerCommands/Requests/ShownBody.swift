import OAuth

/// The body of an answer on its way to standard output: as it is, and on a terminal without what could deceive.
struct ShownBody {
    private let isOnTerminal: Bool
    /// The beginning of a character whose other bytes are still to come.
    private var rest: [UInt8] = []

    /// - Parameter isOnTerminal: Whether a person reads it.
    init(isOnTerminal: Bool) {
        self.isOnTerminal = isOnTerminal
    }

    /// Takes the next part of the body, and returns the bytes to print.
    mutating func printed(_ part: some Sequence<UInt8>) -> [UInt8] {
        guard isOnTerminal else { return Array(part) }
        rest += part
        let text = rest[..<Self.wholeCharacters(rest)]
        rest.removeFirst(text.count)
        return Self.plain(text)
    }

    /// The bytes to print behind the last part.
    func end() -> [UInt8] { Self.plain(rest[...]) }

    private static func plain(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let text = String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n")
        return Array(PlainText.document(text).utf8)
    }

    /// The count of bytes up to the last character that may be incomplete.
    private static func wholeCharacters(_ bytes: [UInt8]) -> Int {
        guard let lead = bytes.indices.suffix(3).last(where: { bytes[$0] & 0xC0 != 0x80 }) else { return bytes.count }
        let length =
            switch bytes[lead] {
            case 0xC0...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xFF: 4
            default: 1
            }
        return lead + length > bytes.count ? lead : bytes.count
    }
}
