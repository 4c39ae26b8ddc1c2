/// Compiles a pattern into instructions (RFC 9485 §3).
struct PatternParser {
    private static let maxDepth = 32

    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var depth = 0

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
    }

    mutating func steps() throws(Pattern.Refusal) -> [PatternStep] {
        guard scalars.count <= Pattern.maxLength else {
            position = Pattern.maxLength
            throw refusal("longer than \(Pattern.maxLength) characters")
        }
        if next == "^" { position += 1 }
        var steps = try branches()
        if next == "$", position == scalars.count - 1 { position += 1 }
        guard next == nil else { throw refusal(next == ")" ? "a ) without a (" : "an unexpected character") }
        steps.append(.end)
        return steps
    }

    // MARK: Grammar

    private mutating func branches() throws(Pattern.Refusal) -> [PatternStep] {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maxDepth else { throw refusal("groups deeper than \(Self.maxDepth)") }
        var steps = try branch()
        while next == "|" {
            position += 1
            let other = try branch()
            // `either` continues with both alternatives. A jump at the end of the first alternative skips the second.
            steps =
                [.either(1, steps.count + 2)] + Self.moved(steps, by: 1) + [.jump(steps.count + 2 + other.count)]
                + Self.moved(other, by: steps.count + 2)
            try bound(steps)
        }
        return steps
    }

    private mutating func branch() throws(Pattern.Refusal) -> [PatternStep] {
        var steps: [PatternStep] = []
        while let sign = next, sign != "|", sign != ")", !(sign == "$" && position == scalars.count - 1) {
            let atom = try repeated(try atom())
            steps += Self.moved(atom, by: steps.count)
            try bound(steps)
        }
        return steps
    }

    private mutating func atom() throws(Pattern.Refusal) -> [PatternStep] {
        guard let sign = next else { throw refusal("an unexpected end") }
        switch sign {
        case "(":
            position += 1
            let steps = try branches()
            guard next == ")" else { throw refusal("a ( without a )") }
            position += 1
            return steps
        case "[": return [.one(try bracket())]
        case ".":
            position += 1
            return [.one(.any)]
        case "\\": return [.one(CharacterClass(parts: try escape()))]
        case "*", "+", "?", "{", "}", "]", "^", "$": throw refusal("a special character without a \\ before it")
        default:
            position += 1
            return [.one(CharacterClass(sign))]
        }
    }

    private mutating func repeated(_ atom: [PatternStep]) throws(Pattern.Refusal) -> [PatternStep] {
        switch next {
        case "*":
            position += 1
            return Self.any(atom)
        case "+":
            position += 1
            return atom + Self.moved(Self.any(atom), by: atom.count)
        case "?":
            position += 1
            return Self.maybe(atom)
        case "{": return try counted(atom)
        default: return atom
        }
    }

    private mutating func counted(_ atom: [PatternStep]) throws(Pattern.Refusal) -> [PatternStep] {
        position += 1
        let least = try number()
        var most: Int? = least
        if next == "," {
            position += 1
            most = next == "}" ? nil : try number()
        }
        guard next == "}" else { throw refusal("a { without a }") }
        if let most, most < least { throw refusal("a maximum count below the minimum") }
        position += 1
        var steps: [PatternStep] = []
        for _ in 0..<least {
            steps += Self.moved(atom, by: steps.count)
            try bound(steps)
        }
        guard let most else { return steps + Self.moved(Self.any(atom), by: steps.count) }
        for _ in least..<most {
            steps += Self.moved(Self.maybe(atom), by: steps.count)
            try bound(steps)
        }
        return steps
    }

    private mutating func number() throws(Pattern.Refusal) -> Int {
        let begin = position
        while let sign = next, ("0"..."9").contains(sign), position - begin < 4 { position += 1 }
        guard let number = Int(String(String.UnicodeScalarView(scalars[begin..<position]))) else {
            throw refusal("a count that is not a number")
        }
        return number
    }

    private mutating func bracket() throws(Pattern.Refusal) -> CharacterClass {
        position += 1
        var set = CharacterClass()
        if next == "^" {
            position += 1
            set.isNegated = true
        }
        var isFirst = true
        while let sign = next, sign != "]" {
            if sign == "[" { throw refusal("a [ inside [ ]") }
            let begin = position
            let parts = try member()
            // A hyphen between two characters makes a range. A hyphen at either end of the brackets is literal.
            if next == "-", position + 1 < scalars.count, scalars[position + 1] != "]", !(sign == "-" && isFirst) {
                position += 1
                guard let low = Self.single(parts), let high = Self.single(try member()), low <= high else {
                    position = begin
                    throw refusal("an invalid range")
                }
                set.parts.append(.range(low...high))
            } else {
                set.parts += parts
            }
            isFirst = false
        }
        guard next == "]" else { throw refusal("a [ without a ]") }
        guard !set.parts.isEmpty else { throw refusal("an empty [ ]") }
        position += 1
        return set
    }

    private mutating func member() throws(Pattern.Refusal) -> [CharacterClass.Part] {
        guard let sign = next else { throw refusal("a [ without a ]") }
        if sign == "\\" { return try escape() }
        position += 1
        return [.range(sign.value...sign.value)]
    }

    private mutating func escape() throws(Pattern.Refusal) -> [CharacterClass.Part] {
        position += 1
        guard let sign = next else { throw refusal("a \\ at the end") }
        position += 1
        switch sign {
        case "n": return [.range(0x0A...0x0A)]
        case "r": return [.range(0x0D...0x0D)]
        case "t": return [.range(0x09...0x09)]
        case "d": return CharacterClass.digits
        case "w": return CharacterClass.word
        case "s": return CharacterClass.space
        case "D": return [.not(CharacterClass.digits)]
        case "W": return [.not(CharacterClass.word)]
        case "S": return [.not(CharacterClass.space)]
        case "p", "P": return [.category(try category(), isNegated: sign == "P")]
        case "0"..."9", "A"..."Z", "a"..."z":
            position -= 1
            throw refusal("an unknown letter or digit after a \\")
        default: return [.range(sign.value...sign.value)]
        }
    }

    private mutating func category() throws(Pattern.Refusal) -> String {
        guard next == "{", let end = scalars[position...].firstIndex(of: "}") else {
            throw refusal("a \\p without {}")
        }
        let name = String(String.UnicodeScalarView(scalars[(position + 1)..<end]))
        guard CharacterClass.isCategory(name) else { throw refusal("an unknown character category") }
        position = end + 1
        return name
    }

    // MARK: Helpers

    private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private func refusal(_ reason: String) -> Pattern.Refusal {
        Pattern.Refusal(reason: reason, position: position)
    }

    private func bound(_ steps: [PatternStep]) throws(Pattern.Refusal) {
        guard steps.count < Pattern.maxSteps else { throw refusal("more than \(Pattern.maxSteps) states") }
    }

    private static func single(_ parts: [CharacterClass.Part]) -> UInt32? {
        guard parts.count == 1, case .range(let range) = parts[0], range.count == 1 else { return nil }
        return range.lowerBound
    }

    private static func any(_ atom: [PatternStep]) -> [PatternStep] {
        [.either(1, atom.count + 2)] + moved(atom, by: 1) + [.jump(0)]
    }

    private static func maybe(_ atom: [PatternStep]) -> [PatternStep] {
        [.either(1, atom.count + 1)] + moved(atom, by: 1)
    }

    private static func moved(_ steps: [PatternStep], by offset: Int) -> [PatternStep] {
        steps.map { step in
            switch step {
            case .either(let a, let b): .either(a + offset, b + offset)
            case .jump(let target): .jump(target + offset)
            case .one, .end: step
            }
        }
    }
}
