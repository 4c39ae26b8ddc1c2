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
