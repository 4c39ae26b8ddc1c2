import QRCode

extension Markup {
    /// Creates a QR code as SVG with a light quiet zone, or returns `nil` if the text is too long.
    init?(qrCodeOf text: String, label: String) {
        guard let code = QRCode(text) else { return nil }
        let zone = QRCode.quietZone
        var path = ""
        for row in 0..<code.size {
            var column = 0
            while column < code.size {
                let start = column
                while code.isDark(row: row, column: column) { column += 1 }
                if column > start { path += "M\(start + zone) \(row + zone)h\(column - start)v1h-\(column - start)z" }
                column += 1
            }
        }
        let side = "\(code.size + 2 * zone)"
        self =
            Markup("<svg") + Markup(attributes: [("class", "qr"), ("viewBox", "0 0 \(side) \(side)"), ("role", "img")])
            + Markup(attributes: [("aria-label", label)]) + Markup("><path") + Markup(attributes: [("d", path)])
            + Markup("/></svg>")
    }
}
