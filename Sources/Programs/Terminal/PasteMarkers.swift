/// Removes the markers that a terminal puts around pasted text in bracketed paste mode.
enum PasteMarkers {
    private static let marks = ["\u{1B}[200~", "\u{1B}[201~"].map { Array($0.utf8) }

    static func removed(from text: [UInt8]) -> [UInt8] {
        var rest = text[...]
        var result: [UInt8] = []
        while let first = rest.first {
            if let mark = marks.first(where: { rest.starts(with: $0) }) {
                rest = rest.dropFirst(mark.count)
            } else {
                result.append(first)
                rest = rest.dropFirst()
            }
        }
        return result
    }
}
