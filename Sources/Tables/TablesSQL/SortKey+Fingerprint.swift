extension SortKey {
    /// Tells the keys that this program makes from those of another version of it, or of the Unicode data it is linked with.
    ///
    /// Keys that were stored under another fingerprint are in another order and must be made anew.
    public static let fingerprint = fingerprint { of($0) }

    /// Letters with and without case and accents, marks, digits, signs and blanks of many scripts.
    private static let ranges: [ClosedRange<UInt32>] = [
        0x01...0x24F, 0x2B0...0x4FF, 0x531...0x556, 0x561...0x587, 0x5D0...0x5EA, 0x620...0x669, 0x905...0x96F,
        0xE01...0xE59, 0x10A0...0x10FF, 0x13A0...0x13FF, 0x1C80...0x1CBF, 0x1E00...0x1FFF, 0x2000...0x214F,
        0x2160...0x2188,
        0x2460...0x24FF, 0x2C60...0x2C7F, 0x3041...0x30FF, 0x4E00...0x4E3F, 0xA720...0xA7CF, 0xAC00...0xAC3F,
        0xFB00...0xFB06, 0xFDF0...0xFDFA, 0xFF10...0xFF5A, 0x10400...0x1044F, 0x1E900...0x1E943, 0x1F600...0x1F60F,
    ]

    private static let words = [
        "Amélie", "Ame\u{301}lie", "Amores Perros", "Straße", "Łódź", "ﬁle-10 (2)", "naïve café", "İstanbul ılık",
        "Ελλάδα", "Москва", "שלום", "مرحبا", "नमस्ते", "สวัสดี", "한국어", "日本語 かな カナ", "١٢٣ ⅻ ½", "€ 12,50",
        String(repeating: "ab", count: maxLetters), "x" + String(repeating: "\u{301}", count: 2 * maxScalars),
    ]

    /// A number that changes with the key of any sample (FNV-1a).
    ///
    /// - Parameter key: Makes keys.
    /// - Returns: The number, which says nothing about who made the samples.
    static func fingerprint(_ key: (String) -> String) -> Int64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        for text in samples {
            key(text).utf8.forEach(add)
            add(0)
        }
        return Int64(bitPattern: hash)
    }

    /// The texts that are looked at: short ones, so that nothing of a range is beyond what a key has.
    private static var samples: [String] {
        var samples = words
        for range in ranges {
            // Of all but the first letters every third is enough to see that their data are other.
            let step = range.lowerBound < 0x100 ? 1 : 3
            var text = String.UnicodeScalarView()
            for number in stride(from: range.lowerBound, through: range.upperBound, by: step) {
                if let scalar = Unicode.Scalar(number) { text.append(scalar) }
                if text.count < 32 { continue }
                samples.append(String(text))
                text.removeAll()
            }
            samples.append(String(text))
        }
        return samples
    }
}
