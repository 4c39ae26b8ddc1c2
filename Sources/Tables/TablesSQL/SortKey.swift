import Foundation

/// Orders texts linguistically: by their letters, then by accents, then by case, with lower case first.
///
/// Blanks come before punctuation, then symbols, digits and letters. It follows the root of Unicode's collation (UTS #10)
/// where that needs no table, knows no language, and depends on no setting.
public enum SortKey {
    /// Most letters of a text that count; texts that differ only later go by their code points.
    public static let maxLetters = 256
    /// Most code points of a text that are looked at, since accents may be heaped without end.
    static let maxScalars = 1024

    private static let separator: Unicode.Scalar = "\u{1}"
    private static let plain: Unicode.Scalar = "\u{3}"
    private static let capital: Unicode.Scalar = "\u{4}"
    /// Letters that Unicode does not decompose, and those they are sorted beside; `/` stands for a stroke.
    private static let apart: [Unicode.Scalar: String] = [
        "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o/", "đ": "d/", "ð": "d/", "ħ": "h/", "ł": "l/", "ŧ": "t/", "þ": "th",
        "ı": "i/",
    ]

    /// The punctuation and symbols of ASCII in the order of the root collation, which is not that of their numbers.
    private static let signs = Array("_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$".unicodeScalars)

    /// The key of a text: the order of keys by their bytes is the order of the texts.
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

        /// Blanks, punctuation and symbols: behind a sign of their kind, which is less than any digit or letter.
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

        /// The three levels, without weights at the end of one that say nothing, and without levels that say nothing.
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
