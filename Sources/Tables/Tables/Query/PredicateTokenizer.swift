struct PredicateTokenizer {
    /// The operators, the brackets and the comma.
    ///
    /// A longer sign comes first, such as `<=` before `<`, because the tokenizer uses the first sign that matches.
    private static let signs = [
        "==", "=>", "=<", "!=", "<>", "<=", ">=", "&&", "||", "=", "<", ">", "!", "(", ")", "{", "}", ",", "+", "-",
        "*", "/",
    ]

    private var scanner: ConditionScanner

    /// Returns the tokens of `text`, followed by a token that marks the end.
    static func tokens(_ text: String, limits: QueryLimits) throws(QueryProblem) -> [PredicateToken] {
        var tokenizer = PredicateTokenizer(scanner: try ConditionScanner(text, limits: limits))
        var tokens: [PredicateToken] = []
        while true {
            let token = try tokenizer.next()
            tokens.append(token)
            if token.kind == .end { return tokens }
        }
    }

    private mutating func next() throws(QueryProblem) -> PredicateToken {
        scanner.skipBlanks()
        let start = scanner.position
        guard let scalar = scanner.peek() else { return PredicateToken(kind: .end, position: start) }
        let kind: PredicateToken.Kind
        switch scalar {
        case "'", "\"": kind = .string(try quoted(by: scalar))
        case "%":
            scanner.take()
            kind = .argument(scanner.skip("@") ? "@" : scanner.take(while: \.beginsName))
        case "#":
            scanner.take()
            guard scanner.peek()?.beginsName == true else { throw QueryProblem(.syntaxError, at: start) }
            kind = .name(scanner.take(while: \.continuesName))
        case "[":
            scanner.take()
            kind = .modifier(scanner.take(while: \.beginsName))
            guard scanner.skip("]") else { throw QueryProblem(.syntaxError, at: start) }
        case _ where scalar.isDigit: kind = .number(try scanner.number())
        case _ where scalar.beginsName: kind = .word(scanner.take(while: \.continuesName))
        default: kind = .sign(try sign())
        }
        return PredicateToken(kind: kind, position: start)
    }

    private mutating func sign() throws(QueryProblem) -> String {
        for sign in Self.signs where scanner.skip(sign) { return sign }
        throw QueryProblem(.syntaxError, at: scanner.position)
    }

    /// Reads a string in either kind of quotation marks, in which a backslash escapes the next character.
    private mutating func quoted(by mark: Unicode.Scalar) throws(QueryProblem) -> String {
        let start = scanner.position
        scanner.take()
        var content = String.UnicodeScalarView()
        while let scalar = scanner.take() {
            if scalar == mark { return String(content) }
            content.append(scalar == "\\" ? try escaped(start) : scalar)
        }
        throw QueryProblem(.unterminatedText, at: start)
    }

    private mutating func escaped(_ start: Int) throws(QueryProblem) -> Unicode.Scalar {
        switch scanner.peek() {
        case "n": replaced("\n")
        case "r": replaced("\r")
        case "t": replaced("\t")
        case let scalar? where "\\'\"".unicodeScalars.contains(scalar): replaced(scalar)
        case nil: throw QueryProblem(.unterminatedText, at: start)
        default: throw QueryProblem(.unknownEscape, at: scanner.position - 1)
        }
    }

    private mutating func replaced(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        scanner.take()
        return scalar
    }
}

struct PredicateToken {
    enum Kind: Equatable {
        case word(String)
        /// A name after `#`, which is never a keyword.
        case name(String)
        case number(String)
        case string(String)
        /// A placeholder without its `%`, such as `ld` or `@`.
        case argument(String)
        case sign(String)
        /// The letters of a modifier such as `[c]`.
        case modifier(String)
        case end
    }

    let kind: Kind
    let position: Int
}
