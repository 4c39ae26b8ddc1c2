import Foundation

/// Keys that sort strings by letters, then by accents, then by case with lower case first.
///
/// Spaces come before punctuation, followed by symbols, digits and letters. The order follows the root collation of
/// Unicode (UTS #10), as far as this is possible without a collation table. The order does not depend on languages or
/// settings.
public enum SortKey {
    /// The maximum number of characters that affect the key, not counting accents.
    public static let maxLetters = 256
    /// The maximum number of code points that affect the key, because a letter can have any number of accents.
    static let maxScalars = 1024

    private static let separator: Unicode.Scalar = "\u{1}"
    private static let plain: Unicode.Scalar = "\u{3}"
    private static let capital: Unicode.Scalar = "\u{4}"
    /// Letters that Unicode does not decompose, with the letters that replace them in the key.
    ///
    /// A `/` represents a stroke, which is sorted as an accent.
    private static let apart: [Unicode.Scalar: String] = [
        "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o/", "đ": "d/", "ð": "d/", "ħ": "h/", "ł": "l/", "ŧ": "t/", "þ": "th",
        "ı": "i/",
    ]

    /// The ASCII punctuation and symbols in the order of the root collation.
    private static let signs = Array("_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$".unicodeScalars)

    /// Returns the sort key of a string, which must be compared with other keys byte by byte.
    public static func of(_ text: String) -> String {
        var key = Levels()
        for scalar in decomposed(text) {
            guard key.letters < maxLetters else { break }
            key.append(scalar)
        }
        return key.text
    }

    private static func decomposed(_ text: String) -> String.UnicodeScalarView {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.unicodeScalars }
        let beginning = String(String.UnicodeScalarView(text.unicodeScalars.prefix(maxScalars)))
        return beginning.decomposedStringWithCompatibilityMapping.unicodeScalars
    }

    private struct Levels {
        private var primary = String.UnicodeScalarView()
        private var accents: [Unicode.Scalar] = []
        private var cases: [Unicode.Scalar] = []
        private(set) var letters = 0

        mutating func append(_ scalar: Unicode.Scalar) {
            if scalar.isASCII {
                ascii(scalar)
                return
            }
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark: accents.append(scalar)
            case .control, .format, .surrogate, .unassigned, .privateUse: other(scalar)
            default: letter(scalar)
            }
        }

        private mutating func ascii(_ scalar: Unicode.Scalar) {
            switch scalar {
            case "a"..."z", "0"..."9": add(scalar, plain)
            case "A"..."Z": add(Unicode.Scalar(UInt8(scalar.value) + 32), capital)
            default: other(scalar)
            }
        }

        private mutating func letter(_ scalar: Unicode.Scalar) {
            guard scalar.properties.isAlphabetic || scalar.properties.numericType != nil else {
                other(scalar)
                return
            }
            let lower = scalar.properties.lowercaseMapping.unicodeScalars
            let weight = lower.elementsEqual(CollectionOfOne(scalar)) ? plain : capital
            for scalar in lower {
                guard let parts = apart[scalar] else {
                    add(scalar, weight)
                    continue
                }
                for part in parts.unicodeScalars {
                    if part == "/" { accents.append("\u{338}") } else { add(part, weight) }
                }
            }
        }

        /// Appends a space, punctuation mark or symbol, after a byte for its category, which sorts before letters.
        private mutating func other(_ scalar: Unicode.Scalar) {
            switch scalar.properties.generalCategory {
            case .control where !scalar.properties.isWhitespace, .format: return
            case _ where scalar.properties.isWhitespace: primary.append("\u{2}")
            case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
                .finalPunctuation, .otherPunctuation:
                primary.append("\u{3}")
            case .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol: primary.append("\u{4}")
            default: primary.append("\u{5}")
            }
            let rank = scalar.isASCII ? signs.firstIndex(of: scalar) : nil
            add(rank.map { Unicode.Scalar(UInt8(0x20 + $0)) } ?? scalar, plain)
        }

        private mutating func add(_ scalar: Unicode.Scalar, _ weight: Unicode.Scalar) {
            primary.append(scalar)
            accents.append(plain)
            cases.append(weight)
            letters += 1
        }

        /// The sort key, which consists of one level each for letters, accents and case.
        ///
        /// Default weights at the end of a level are omitted, and so are empty levels at the end of the key.
        var text: String {
            var key = primary
            let accents = Self.trimmed(accents)
            let cases = Self.trimmed(cases)
            if !accents.isEmpty || !cases.isEmpty { key.append(separator) }
            key.append(contentsOf: accents)
            if !cases.isEmpty { key.append(separator) }
            key.append(contentsOf: cases)
            return String(key)
        }

        private static func trimmed(_ weights: [Unicode.Scalar]) -> ArraySlice<Unicode.Scalar> {
            weights.prefix((weights.lastIndex { $0 != plain } ?? -1) + 1)
        }
    }
}

extension SortKey {
    /// A fingerprint of the sort keys that this program creates, so that keys with another fingerprint can be rebuilt.
    public static let fingerprint = fingerprint { of($0) }

    /// The code points in the sample strings, which are letters, marks, digits, symbols and spaces in many scripts.
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

    /// Returns a hash (FNV-1a) of the sort keys that `key` creates for the samples.
    static func fingerprint(_ key: (String) -> String) -> Int64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        for text in samples {
            key(text).utf8.forEach(add)
            add(0)
        }
        return Int64(bitPattern: hash)
    }

    /// The sample strings, which are short enough for their keys to depend on every character.
    private static var samples: [String] {
        var samples = words
        for range in ranges {
            // Outside the first range, every third code point is enough to detect different Unicode data.
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
