/// A regular expression that texts of a column must match from their first character to their last.
///
/// The dialect is I-Regexp (RFC 9485) and, because people write them, `\d`, `\w`, `\s` and their opposites (ASCII), any
/// sign behind a backslash, and a `^` at the begin and a `$` at the end that change nothing. There are no back references
/// and nothing looks around, so that matching takes time in proportion to the text, whatever the text is: at most
/// ``maxSteps`` states are looked at for each of its characters.
public struct Pattern: Hashable, Sendable, CustomStringConvertible {
    /// Longest pattern in characters.
    public static let maxLength = 512
    /// Longest text of a column with a pattern, in characters, so that no request keeps others waiting.
    public static let longestText = 4096
    /// Most states of the machine that a pattern is made into, after repetitions are written out.
    public static let maxSteps = 512

    /// A mistake in a pattern, and its position.
    public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        /// The mistake in a few words.
        public let reason: String
        /// Characters before the mistake.
        public let position: Int

        /// The mistake and its position.
        public var description: String { "\(reason) (at character \(position + 1))" }
    }

    /// The pattern as it was written.
    public let description: String
    private let steps: [PatternStep]

    /// Reads a pattern.
    public init(_ text: String) throws(Refusal) {
        var parser = PatternParser(text)
        steps = try parser.steps()
        description = text
    }

    /// True if the pattern matches the whole of `text`.
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

    /// Compares what is written.
    public static func == (a: Pattern, b: Pattern) -> Bool { a.description == b.description }

    /// Hashes what is written.
    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

/// One step of Thompson's machine, which is in many states at once instead of going back.
enum PatternStep: Hashable, Sendable {
    /// Takes one character of a set.
    case one(CharacterClass)
    /// Goes on at both places.
    case either(Int, Int)
    /// Goes on elsewhere.
    case jump(Int)
    /// The pattern is at its end.
    case end
}

/// The states that the machine is in.
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

    /// Adds a state and all that are reached from it without a character.
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
}

extension CharacterClass {
    /// One character.
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
