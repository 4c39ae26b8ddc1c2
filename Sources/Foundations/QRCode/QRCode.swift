// No allowed dependency creates QR codes, and only a small part of the standard is needed.

/// A QR code for a short string (ISO/IEC 18004), with error correction level M, which restores about 15 % of the code.
public struct QRCode: Hashable, Sendable {
    /// The width and height of the code in modules (small squares), without the quiet zone.
    public let size: Int
    /// The modules of the code, row by row, where `true` means dark.
    public let modules: [Bool]

    /// The width of the light border that a code requires on every side, in modules.
    public static let quietZone = 4
    /// The maximum length of the text, in bytes of UTF-8.
    public static let mostBytes = QRVersion.largest.capacity

    /// Encodes a string as UTF-8, or returns `nil` if it is longer than ``mostBytes``.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let version = QRVersion.smallest(for: bytes.count) else { return nil }
        let codewords = version.codewords(of: bytes)
        let candidates = QRMask.allCases.map { mask in
            var drawing = QRDrawing(version: version)
            drawing.fill(with: codewords, mask: mask)
            return drawing
        }
        guard let best = candidates.min(by: { $0.penalty < $1.penalty }) else { return nil }
        size = version.size
        modules = best.modules
    }

    /// Whether the module at the given position is dark, or `false` for a position outside the code.
    public func isDark(row: Int, column: Int) -> Bool {
        (0..<size).contains(row) && (0..<size).contains(column) && modules[row * size + column]
    }
}

extension QRCode {
    /// The lines of text that show the code in a terminal, including the quiet zone.
    ///
    /// Each line shows two rows of modules and sets its own colours, because the terminal's can be inverted.
    public var terminalLines: [String] {
        let range = -Self.quietZone..<(size + Self.quietZone)
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
            let cells = range.map { column in
                switch (isDark(row: row, column: column), isDark(row: row + 1, column: column)) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }
            return "\u{1B}[38;5;16;48;5;231m\(cells.joined())\u{1B}[0m"
        }
    }
}
