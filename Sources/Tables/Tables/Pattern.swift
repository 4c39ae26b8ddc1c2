/// A regular expression that must match a column's whole value.
///
/// The dialect is I-Regexp (RFC 9485) with common additions. `\d`, `\w`, `\s` and their negations are supported for
/// ASCII characters. A backslash can precede any character except other letters and digits. `^` at the beginning and
/// `$` at the end are allowed and have no effect. The dialect has no back-references and no lookaround, so the matching
/// time is proportional to the length of the string. The matcher tracks at most ``maxSteps`` states for each character.
public struct Pattern: Hashable, Sendable, CustomStringConvertible {
    /// The maximum length of a pattern, in characters.
    public static let maxLength = 512
    /// The maximum length, in characters, of a value in a column with a pattern, which prevents slow matches.
    public static let longestText = 4096
    /// The maximum number of states in a pattern, after the pattern's repetitions are expanded.
    public static let maxSteps = 512

    /// An error in a pattern, with the position of the error.
    public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        /// A short description of the error.
        public let reason: String
        /// The number of characters before the error.
        public let position: Int

        /// The reason, followed by the position, which is counted from 1.
        public var description: String { "\(reason) (at character \(position + 1))" }
    }

    /// The pattern as written.
    public let description: String
    private let steps: [PatternStep]

    /// Parses a pattern.
    public init(_ text: String) throws(Refusal) {
        var parser = PatternParser(text)
        steps = try parser.steps()
        description = text
    }

    /// Returns whether the pattern matches all of `text`.
    public func matches(_ text: String) -> Bool {
        var current = PatternStates(count: steps.count)
        var next = PatternStates(count: steps.count)
        current.add(0, steps)
        for scalar in text.unicodeScalars {
            guard !current.isEmpty else { return false }
            next.clear()
            for place in current.places {
                if case .one(let set) = steps[place], set.contains(scalar) { next.add(place + 1, steps) }
            }
            swap(&current, &next)
        }
        return current.places.contains { steps[$0] == .end }
    }

    /// Returns whether both patterns have the same text.
    public static func == (a: Pattern, b: Pattern) -> Bool { a.description == b.description }

    /// Hashes the pattern's text.
    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

/// One instruction of Thompson's matching algorithm, which tracks several states at once instead of backtracking.
enum PatternStep: Hashable, Sendable {
    case one(CharacterClass)
    /// Continues at both of the instructions with these indices.
    case either(Int, Int)
    case jump(Int)
    case end
}

private struct PatternStates {
    private(set) var places: [Int] = []
    private var isIn: [Bool]

    init(count: Int) {
        isIn = Array(repeating: false, count: count)
    }

    var isEmpty: Bool { places.isEmpty }

    mutating func clear() {
        for place in places { isIn[place] = false }
        places.removeAll(keepingCapacity: true)
    }

    /// Adds the state `place`, and every state that is reachable from `place` without consuming a character.
    mutating func add(_ place: Int, _ steps: [PatternStep]) {
        var open = [place]
        while let place = open.popLast() {
            guard !isIn[place] else { continue }
            isIn[place] = true
            places.append(place)
            switch steps[place] {
            case .either(let a, let b): open += [b, a]
            case .jump(let target): open.append(target)
            case .one, .end: break
            }
        }
    }
}

struct CharacterClass: Hashable, Sendable {
    enum Part: Hashable, Sendable {
        case range(ClosedRange<UInt32>)
        /// The characters inside or, if `isNegated` is `true`, outside this Unicode category, such as `Lu`.
        case category(String, isNegated: Bool)
        case not([Part])
    }

    var parts: [Part] = []
    var isNegated = false

    /// All characters except line feeds and carriage returns, as `.` matches them (RFC 9485 §5.3).
    static let any = CharacterClass(parts: [.range(0x0A...0x0A), .range(0x0D...0x0D)], isNegated: true)
    static let digits: [Part] = [.range(0x30...0x39)]
    static let word: [Part] = digits + [.range(0x41...0x5A), .range(0x61...0x7A), .range(0x5F...0x5F)]
    static let space: [Part] = [.range(0x09...0x0D), .range(0x20...0x20)]
}

extension CharacterClass {
    init(_ scalar: Unicode.Scalar) {
        parts = [.range(scalar.value...scalar.value)]
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

    /// Returns whether `name` is the name of a Unicode category (RFC 9485 §3).
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
