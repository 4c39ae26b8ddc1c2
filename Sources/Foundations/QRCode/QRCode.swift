// Written here: of the packages that this project may depend on, none makes QR codes, and the part that is needed is small.

/// A QR code of a short text (ISO/IEC 18004), with error correction of level M, which survives 15 % of damage.
public struct QRCode: Hashable, Sendable {
    /// The width and height in modules, without the quiet zone around it.
    public let size: Int
    /// The modules row by row; true is dark.
    public let modules: [Bool]

    /// The modules of light that must stand around the code on every side.
    public static let quietZone = 4
    /// The most bytes of UTF-8 that fit.
    public static let mostBytes = QRVersion.largest.capacity

    /// Encodes a text as bytes of UTF-8; nil if it has more than ``mostBytes``.
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

    /// True if the module is dark; those outside are light.
    public func isDark(row: Int, column: Int) -> Bool {
        (0..<size).contains(row) && (0..<size).contains(column) && modules[row * size + column]
    }
}

extension QRCode {
    /// The code as lines of a terminal, two rows of modules a line, with its quiet zone.
    ///
    /// The colours are set in each line, dark on light, since a terminal's own may be either way round.
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
