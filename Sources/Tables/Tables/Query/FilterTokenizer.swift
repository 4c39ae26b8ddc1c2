struct FilterTokenizer {
    private var scanner: ConditionScanner

    /// Returns the tokens of `text`, followed by a token that marks the end.
    static func tokens(_ text: String, limits: QueryLimits) throws(QueryProblem) -> [FilterToken] {
        var tokenizer = FilterTokenizer(scanner: try ConditionScanner(text, limits: limits))
        var tokens: [FilterToken] = []
        while true {
            let token = try tokenizer.next()
            tokens.append(token)
            if token.kind == .end { return tokens }
        }
    }

    private mutating func next() throws(QueryProblem) -> FilterToken {
        scanner.skipBlanks()
        let start = scanner.position
        guard let scalar = scanner.peek() else { return FilterToken(kind: .end, position: start) }
        let kind: FilterToken.Kind
        switch scalar {
        case "(": kind = single(.open)
        case ")": kind = single(.close)
        case ",": kind = single(.comma)
        case "-": kind = single(.minus)
        case "'": kind = .literal(.string(try quoted()))
        case _ where scalar.isDigit: kind = try number()
        case _ where scalar.beginsName: kind = try name()
        default: throw QueryProblem(.syntaxError, at: start)
        }
        return FilterToken(kind: kind, position: start)
    }

    private mutating func single(_ kind: FilterToken.Kind) -> FilterToken.Kind {
        scanner.take()
        return kind
    }

    /// Reads a quoted string, in which two consecutive quotation marks represent one quotation mark.
    private mutating func quoted() throws(QueryProblem) -> String {
        let start = scanner.position
        scanner.take()
        var content = String.UnicodeScalarView()
        while let scalar = scanner.take() {
            if scalar == "'", !scanner.skip("'") { return String(content) }
            content.append(scalar)
        }
        throw QueryProblem(.unterminatedText, at: start)
    }

    // MARK: Numbers and dates

    private mutating func number() throws(QueryProblem) -> FilterToken.Kind {
        startsDate ? .literal(try bareDate()) : .number(try scanner.number(suffixes: "lmfd"))
    }

    /// Whether the next token is a date without a prefix, such as `2015-01-31`, optionally followed by a time.
    private var startsDate: Bool {
        for (offset, expected) in "dddd-dd-dd".unicodeScalars.enumerated() {
            guard let scalar = scanner.peek(offset) else { return false }
            guard expected == "d" ? scalar.isDigit : scalar == expected else { return false }
        }
        return true
    }

    private mutating func bareDate() throws(QueryProblem) -> QueryLiteral {
        let start = scanner.position
        return try date(scanner.take(while: Self.isOfDate), at: start)
    }

    private static func isOfDate(_ scalar: Unicode.Scalar) -> Bool {
        scalar.continuesName || ":.+-".unicodeScalars.contains(scalar)
    }

    private func date(_ text: String, at start: Int) throws(QueryProblem) -> QueryLiteral {
        guard let date = QueryLiteral(date: text) else {
            throw QueryProblem(.notADate(String(text.prefix(64))), at: start)
        }
        return date
    }

    // MARK: Names

    /// Reads a name, a path of names, a keyword, or a literal with a type prefix.
    private mutating func name() throws(QueryProblem) -> FilterToken.Kind {
        let start = scanner.position
        var name = scanner.take(while: \.continuesName)
        if scanner.peek() == "'" {
            switch name.lowercased() {
            case "datetime", "datetimeoffset": return .literal(try date(try quoted(), at: start))
            case "guid": return .literal(try guid(try quoted(), at: start))
            default: throw QueryProblem(.syntaxError, at: start)
            }
        }
        if name.lowercased() == "cast", scanner.peek() == "(" { return .literal(try cast(start)) }
        while scanner.peek() == "/", scanner.peek(1)?.beginsName == true {
            scanner.take()
            name += "/" + scanner.take(while: \.continuesName)
        }
        switch name.lowercased() {
        case "true": return .literal(.boolean(true))
        case "false": return .literal(.boolean(false))
        case "null": return .literal(.null)
        default: return .identifier(name)
        }
    }

    /// Reads the rest of a cast by a Datasync client, such as `cast(2015-01-31T00:00:00.000Z,Edm.DateTimeOffset)`.
    private mutating func cast(_ start: Int) throws(QueryProblem) -> QueryLiteral {
        scanner.take()
        scanner.skipBlanks()
        let text = scanner.peek() == "'" ? try quoted() : scanner.take(while: Self.isOfDate)
        try expect(",")
        let type = scanner.take { $0.continuesName || $0 == "." }
        try expect(")")
        switch type.lowercased() {
        case "edm.datetimeoffset", "edm.date": return try date(text, at: start)
        case "edm.guid": return try guid(text, at: start)
        default: throw QueryProblem(.unknownCast, at: start)
        }
    }

    private mutating func expect(_ sign: String) throws(QueryProblem) {
        scanner.skipBlanks()
        guard scanner.skip(sign) else { throw QueryProblem(.syntaxError, at: scanner.position) }
        scanner.skipBlanks()
    }

    private func guid(_ text: String, at start: Int) throws(QueryProblem) -> QueryLiteral {
        let text = text.lowercased()
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        let isHex = text.utf8.allSatisfy { $0 == 0x2D || Character(Unicode.Scalar($0)).isHexDigit }
        guard isHex, groups.map(\.utf8.count) == [8, 4, 4, 4, 12] else {
            throw QueryProblem(.notAGUID(String(text.prefix(64))), at: start)
        }
        return .string(text)
    }
}

struct FilterToken {
    enum Kind: Equatable {
        case identifier(String)
        /// A number without its sign, because `-` is a sign only where an operand is expected.
        case number(String)
        case literal(QueryLiteral)
        case open
        case close
        case comma
        case minus
        case end
    }

    let kind: Kind
    let position: Int

    /// Keywords that cannot be column names, in lower case.
    static let reserved: Set<String> = ["true", "false", "null", "not"]

    /// Returns whether a filter can refer to a column with this name.
    static func isColumn(_ name: String) -> Bool {
        guard !reserved.contains(name.lowercased()), !name.isEmpty else { return false }
        return name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
            guard let first = part.unicodeScalars.first, first.beginsName else { return false }
            return part.unicodeScalars.allSatisfy(\.continuesName)
        }
    }
}

extension Unicode.Scalar {
    var beginsName: Bool { self == "_" || properties.isAlphabetic }
    var continuesName: Bool { beginsName || isDigit }
    var isDigit: Bool { ("0"..."9").contains(self) }
    var isBlank: Bool { self == " " || self == "\t" || self == "\n" || self == "\r" }
}
