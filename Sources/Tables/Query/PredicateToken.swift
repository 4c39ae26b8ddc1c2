/// A word of a predicate and where it stands.
struct PredicateToken {
    enum Kind: Equatable {
        /// A word or a name.
        case word(String)
        /// A name that was marked with `#`, which no word is mistaken for.
        case name(String)
        case number(String)
        case string(String)
        /// `%` and the letters after it.
        case argument(String)
        /// An operator or a bracket.
        case sign(String)
        /// `[c]` and its like, the letters of it.
        case modifier(String)
        case end
    }

    let kind: Kind
    let position: Int
}

/// Takes a predicate apart into words.
struct PredicateTokenizer {
    /// The longest first.
    private static let signs = [
        "==", "=>", "=<", "!=", "<>", "<=", ">=", "&&", "||", "=", "<", ">", "!", "(", ")", "{", "}", ",", "+", "-",
        "*", "/",
    ]

    private let text: [Unicode.Scalar]
    private var position = 0

    /// The words of a predicate, the last of which is its end.
    static func tokens(_ text: String, limits: QueryLimits) throws(QueryProblem) -> [PredicateToken] {
        guard text.utf8.count <= limits.length else {
            throw QueryProblem("The predicate is longer than \(limits.length) bytes", at: 0)
        }
        var tokenizer = PredicateTokenizer(text: Array(text.unicodeScalars))
        var tokens: [PredicateToken] = []
        while true {
            let token = try tokenizer.next()
            tokens.append(token)
            if token.kind == .end { return tokens }
        }
    }

    private init(text: [Unicode.Scalar]) {
        self.text = text
    }

    private mutating func next() throws(QueryProblem) -> PredicateToken {
        while peek()?.isBlank == true { position += 1 }
        let start = position
        guard let scalar = peek() else { return PredicateToken(kind: .end, position: start) }
        let kind: PredicateToken.Kind
        switch scalar {
        case "'", "\"": kind = .string(try quoted(by: scalar))
        case "%":
            position += 1
            kind = .argument(peek() == "@" ? take(1) : take { $0.beginsName })
        case "#":
            position += 1
            guard peek()?.beginsName == true else { throw QueryProblem("Syntax error", at: start) }
            kind = .name(take(while: \.continuesName))
        case "[":
            position += 1
            kind = .modifier(take { $0.beginsName })
            guard peek() == "]" else { throw QueryProblem("Syntax error", at: start) }
            position += 1
        case _ where scalar.isDigit: kind = try number()
        case _ where scalar.beginsName: kind = .word(take(while: \.continuesName))
        default:
            guard let sign = Self.signs.first(where: { stands($0) }) else {
                throw QueryProblem("Syntax error", at: start)
            }
            kind = .sign(take(sign.unicodeScalars.count))
        }
        return PredicateToken(kind: kind, position: start)
    }

    private func peek(_ ahead: Int = 0) -> Unicode.Scalar? {
        position + ahead < text.count ? text[position + ahead] : nil
    }

    private func stands(_ sign: String) -> Bool {
        sign.unicodeScalars.enumerated().allSatisfy { peek($0.offset) == $0.element }
    }

    private mutating func take(_ count: Int) -> String {
        var left = count
        return take { _ in
            left -= 1
            return left >= 0
        }
    }

    private mutating func take(while condition: (Unicode.Scalar) -> Bool) -> String {
        var taken = String.UnicodeScalarView()
        while let scalar = peek(), condition(scalar) {
            taken.append(scalar)
            position += 1
        }
        return String(taken)
    }

    private mutating func number() throws(QueryProblem) -> PredicateToken.Kind {
        let start = position
        var number = take(while: \.isDigit)
        if peek() == ".", peek(1)?.isDigit == true {
            position += 1
            number += "." + take(while: \.isDigit)
        }
        if let exponent = peek(), exponent == "e" || exponent == "E" {
            position += 1
            number += "e"
            if let sign = peek(), sign == "+" || sign == "-" { number += take(1) }
            guard peek()?.isDigit == true else { throw QueryProblem("Syntax error", at: start) }
            number += take(while: \.isDigit)
        }
        guard peek()?.continuesName != true, peek() != "." else { throw QueryProblem("Syntax error", at: start) }
        return .number(number)
    }

    /// A text in either kind of quotation marks, in which a backslash takes the meaning from what follows.
    private mutating func quoted(by mark: Unicode.Scalar) throws(QueryProblem) -> String {
        let start = position
        position += 1
        var content = String.UnicodeScalarView()
        while let scalar = peek() {
            position += 1
            if scalar == mark { return String(content) }
            guard scalar == "\\" else {
                content.append(scalar)
                continue
            }
            switch peek() {
            case "n": content.append("\n")
            case "r": content.append("\r")
            case "t": content.append("\t")
            case "\\", "'", "\"": content.append(text[position])
            case nil: continue
            default: throw QueryProblem("Unknown escape in a string literal", at: position - 1)
            }
            position += 1
        }
        throw QueryProblem("Unterminated string literal", at: start)
    }
}
