import OAuth

/// Converts a response's body for output, and replaces control characters and bidirectional marks on a terminal.
struct ShownBody {
    private let isOnTerminal: Bool
    /// The first bytes of a character whose remaining bytes have not arrived yet.
    private var rest: [UInt8] = []
    private var last: UInt8?

    init(isOnTerminal: Bool) {
        self.isOnTerminal = isOnTerminal
    }

    mutating func printed(_ part: some Sequence<UInt8>) -> [UInt8] {
        guard isOnTerminal else { return Array(part) }
        rest += part
        let text = rest[..<Self.wholeCharacters(rest)]
        rest.removeFirst(text.count)
        let bytes = Self.plain(text)
        last = bytes.last ?? last
        return bytes
    }

    func end() -> [UInt8] {
        let bytes = Self.plain(rest[...])
        guard isOnTerminal, let last = bytes.last ?? last, last != UInt8(ascii: "\n") else { return bytes }
        return bytes + [UInt8(ascii: "\n")]
    }

    private static func plain(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let text = String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n")
        return Array(PlainText.document(text).utf8)
    }

    /// Returns the number of bytes, not counting an incomplete character at the end.
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
