import Foundation

/// The scripts of the letters of a domain label, as far as labels in these scripts can be mistaken for each other.
struct LabelScripts {
    private enum Script: Hashable {
        case latin, greek, cyrillic, eastAsian, other
    }

    /// The Cyrillic and Greek letters, without accents, that can be mistaken for Latin letters.
    private static let latinAlike = Set("асԁеԍһіјӏорԛѕԝхуъьҽпгѵѡ".unicodeScalars)
        .union("αγηικνορτυχωϳ".unicodeScalars)

    private let scripts: Set<Script>
    private let looksLatin: Bool

    init(_ label: some StringProtocol) {
        let letters = label.decomposedStringWithCanonicalMapping.unicodeScalars.filter {
            $0.properties.isAlphabetic && $0.properties.canonicalCombiningClass == .notReordered
        }
        scripts = Set(letters.map(Self.script))
        looksLatin = letters.allSatisfy(Self.latinAlike.contains)
    }

    /// Whether the label mixes scripts or consists of Cyrillic or Greek letters that look like Latin ones (UTS #39 §5).
    ///
    /// Latin letters are only mixed with those of Chinese, Japanese and Korean, as in the "Highly Restrictive" profile.
    var isConfusable: Bool {
        if scripts.count > 1 { return scripts != [.latin, .eastAsian] }
        return looksLatin && !scripts.isEmpty
    }

    private static func script(_ letter: Unicode.Scalar) -> Script {
        switch letter.value {
        // The phonetic letters, some of which look like ASCII letters, count as another script.
        case 0x41...0x24F, 0x1E00...0x1EFF: .latin
        case 0x370...0x3E1, 0x3F0...0x3FF, 0x1F00...0x1FFF: .greek
        case 0x400...0x52F, 0x1C80...0x1C8F, 0x2DE0...0x2DFF, 0xA640...0xA69F: .cyrillic
        case 0x1100...0x11FF, 0x3005...0x30FF, 0x3100...0x318F, 0x31A0...0x31BF, 0x31F0...0x31FF, 0x3400...0x4DBF,
            0x4E00...0x9FFF, 0xA960...0xA97F, 0xAC00...0xD7FF, 0x20000...0x323AF:
            .eastAsian
        default: .other
        }
    }
}
