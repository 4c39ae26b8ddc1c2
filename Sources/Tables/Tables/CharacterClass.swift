/// The characters that may stand at one place of a pattern.
struct CharacterClass: Hashable, Sendable {
    /// One part of a class.
    enum Part: Hashable, Sendable {
        /// All characters from the first to the second.
        case range(ClosedRange<UInt32>)
        /// A Unicode category by its one or two letters, or all but those.
        case category(String, isNegated: Bool)
        /// Everything that another class does not have.
        case not([Part])
    }

    var parts: [Part] = []
    var isNegated = false

    /// Everything but the ends of lines (RFC 9485 §5.3 says how `.` is meant).
    static let any = CharacterClass(parts: [.range(0x0A...0x0A), .range(0x0D...0x0D)], isNegated: true)
    static let digits: [Part] = [.range(0x30...0x39)]
    static let word: [Part] = digits + [.range(0x41...0x5A), .range(0x61...0x7A), .range(0x5F...0x5F)]
    static let space: [Part] = [.range(0x09...0x0D), .range(0x20...0x20)]

    /// One character.
    init(_ scalar: Unicode.Scalar) {
        parts = [.range(scalar.value...scalar.value)]
    }

    init(parts: [Part] = [], isNegated: Bool = false) {
        self.parts = parts
        self.isNegated = isNegated
    }

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        Self.holds(parts, scalar) != isNegated
    }

    private static func holds(_ parts: [Part], _ scalar: Unicode.Scalar) -> Bool {
        parts.contains { part in
            switch part {
            case .range(let range): range.contains(scalar.value)
            case .not(let parts): !holds(parts, scalar)
            case .category(let name, let isNegated):
                (codes[scalar.properties.generalCategory] ?? "Cn").hasPrefix(name) != isNegated
            }
        }
    }

    /// True if there is a category of that name (RFC 9485 §3).
    static func isCategory(_ name: String) -> Bool {
        codes.values.contains(name) || ["L", "M", "N", "P", "Z", "S", "C"].contains(name)
    }

    private static let codes: [Unicode.GeneralCategory: String] = [
        .uppercaseLetter: "Lu", .lowercaseLetter: "Ll", .titlecaseLetter: "Lt", .modifierLetter: "Lm",
        .otherLetter: "Lo", .nonspacingMark: "Mn", .spacingMark: "Mc", .enclosingMark: "Me", .decimalNumber: "Nd",
        .letterNumber: "Nl", .otherNumber: "No", .connectorPunctuation: "Pc", .dashPunctuation: "Pd",
        .openPunctuation: "Ps", .closePunctuation: "Pe", .initialPunctuation: "Pi", .finalPunctuation: "Pf",
        .otherPunctuation: "Po", .mathSymbol: "Sm", .currencySymbol: "Sc", .modifierSymbol: "Sk", .otherSymbol: "So",
        .spaceSeparator: "Zs", .lineSeparator: "Zl", .paragraphSeparator: "Zp", .control: "Cc", .format: "Cf",
        .surrogate: "Cs", .privateUse: "Co", .unassigned: "Cn",
    ]
}
