/// Takes a filter or an order apart into words.
struct FilterTokenizer {
    private let text: [Unicode.Scalar]
    private var position = 0

    /// The words of a text, the last of which is its end.
    static func tokens(_ text: String, limits: QueryLimits) throws(QueryProblem) -> [FilterToken] {
        guard text.utf8.count <= limits.length else {
            throw QueryProblem("is longer than \(limits.length) bytes", at: 0)
        }
        var tokenizer = FilterTokenizer(text: Array(text.unicodeScalars))
        var tokens: [FilterToken] = []
        while true {
            let token = try tokenizer.next()
            tokens.append(token)
            if token.kind == .end { return tokens }
        }
    }

    private init(text: [Unicode.Scalar]) {
        self.text = text
    }

    private mutating func next() throws(QueryProblem) -> FilterToken {
        skipBlanks()
        let start = position
        guard let scalar = peek() else { return FilterToken(kind: .end, position: start) }
        let kind: FilterToken.Kind
        switch scalar {
        case "(": kind = single(.open)
        case ")": kind = single(.close)
        case ",": kind = single(.comma)
        case "-": kind = single(.minus)
        case "'": kind = .literal(.string(try quoted()))
        case _ where scalar.isDigit: kind = try number()
        case _ where scalar.beginsName: kind = try name()
        default: throw QueryProblem("Syntax error", at: start)
        }
        return FilterToken(kind: kind, position: start)
    }

    private func peek(_ ahead: Int = 0) -> Unicode.Scalar? {
        position + ahead < text.count ? text[position + ahead] : nil
    }

    private mutating func single(_ kind: FilterToken.Kind) -> FilterToken.Kind {
        position += 1
        return kind
    }

    private mutating func take(while condition: (Unicode.Scalar) -> Bool) -> String {
        var taken = String.UnicodeScalarView()
        while let scalar = peek(), condition(scalar) {
            taken.append(scalar)
            position += 1
        }
        return String(taken)
    }

    /// A text in quotation marks, in which a doubled one stands for itself.
    private mutating func quoted() throws(QueryProblem) -> String {
        let start = position
        position += 1
        var content = String.UnicodeScalarView()
        while let scalar = peek() {
            position += 1
            if scalar == "'" {
                guard peek() == "'" else { return String(content) }
                position += 1
            }
            content.append(scalar)
        }
        throw QueryProblem("Unterminated string literal", at: start)
    }

    // MARK: Numbers and dates

    private mutating func number() throws(QueryProblem) -> FilterToken.Kind {
        if startsDate { return .literal(try bareDate()) }
        let start = position
        var number = take(while: \.isDigit)
        if peek() == ".", peek(1)?.isDigit == true {
            position += 1
            number += "." + take(while: \.isDigit)
        }
        if let exponent = peek(), exponent == "e" || exponent == "E" {
            position += 1
            number += "e"
            if let sign = peek(), sign == "+" || sign == "-" {
                position += 1
                number.unicodeScalars.append(sign)
            }
            guard peek()?.isDigit == true else { throw QueryProblem("Syntax error", at: start) }
            number += take(while: \.isDigit)
        }
        if let suffix = peek(), "lmfd".unicodeScalars.contains(suffix.lowercasedASCII) {
            number.unicodeScalars.append(suffix.lowercasedASCII)
            position += 1
        }
        guard peek()?.continuesName != true, peek() != "." else { throw QueryProblem("Syntax error", at: start) }
        return .number(number)
    }

    /// Whether a date without prefix stands here: `2015-01-31`, perhaps with a time.
    private var startsDate: Bool {
        for (offset, expected) in "dddd-dd-dd".unicodeScalars.enumerated() {
            guard let scalar = peek(offset) else { return false }
            guard expected == "d" ? scalar.isDigit : scalar == expected else { return false }
        }
        return true
    }

    private mutating func bareDate() throws(QueryProblem) -> QueryLiteral {
        let start = position
        return try date(take { $0.continuesName || ":.+-".unicodeScalars.contains($0) }, at: start)
    }

    private func date(_ text: String, at start: Int) throws(QueryProblem) -> QueryLiteral {
        guard let milliseconds = TableDate.milliseconds(text) ?? TableDate.milliseconds(text + "Z"),
            TableDate.range.contains(milliseconds)
        else {
            throw QueryProblem("'\(text.prefix(64))' is not a date", at: start)
        }
        return .date(milliseconds)
    }

    // MARK: Names

    /// A name or a path of names, a word, or a literal with its type before it.
    private mutating func name() throws(QueryProblem) -> FilterToken.Kind {
        let start = position
        var name = take(while: \.continuesName)
        if peek() == "'" {
            switch name.lowercased() {
            case "datetime", "datetimeoffset": return .literal(try date(try quoted(), at: start))
            case "guid": return .literal(try guid(try quoted(), at: start))
            default: throw QueryProblem("Syntax error", at: start)
            }
        }
        if name.lowercased() == "cast", peek() == "(" { return .literal(try cast(start)) }
        while peek() == "/", peek(1)?.beginsName == true {
            position += 1
            name += "/" + take(while: \.continuesName)
        }
        switch name.lowercased() {
        case "true": return .literal(.boolean(true))
        case "false": return .literal(.boolean(false))
        case "null": return .literal(.null)
        default: return .identifier(name)
        }
    }

    /// A date or GUID as clients of Datasync write it: `cast(2015-01-31T00:00:00.000Z,Edm.DateTimeOffset)`.
    private mutating func cast(_ start: Int) throws(QueryProblem) -> QueryLiteral {
        position += 1
        skipBlanks()
        let text = peek() == "'" ? try quoted() : take { $0.continuesName || ":.+-".unicodeScalars.contains($0) }
        guard skip(",") else { throw QueryProblem("Syntax error", at: position) }
        let type = take { $0.continuesName || $0 == "." }
        guard skip(")") else { throw QueryProblem("Syntax error", at: position) }
        switch type.lowercased() {
        case "edm.datetimeoffset", "edm.date": return try date(text, at: start)
        case "edm.guid": return try guid(text, at: start)
        default: throw QueryProblem("only dates and GUIDs can be cast", at: start)
        }
    }

    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard peek() == scalar else { return false }
        position += 1
        skipBlanks()
        return true
    }

    private mutating func skipBlanks() {
        while peek()?.isBlank == true { position += 1 }
    }

    private func guid(_ text: String, at start: Int) throws(QueryProblem) -> QueryLiteral {
        let text = text.lowercased()
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        let isHex = text.utf8.allSatisfy { $0 == 0x2D || Character(Unicode.Scalar($0)).isHexDigit }
        guard isHex, groups.map(\.utf8.count) == [8, 4, 4, 4, 12] else {
            throw QueryProblem("'\(text.prefix(64))' is not a GUID", at: start)
        }
        return .string(text)
    }
}

extension Unicode.Scalar {
    fileprivate var lowercasedASCII: Unicode.Scalar {
        ("A"..."Z").contains(self) ? Unicode.Scalar(UInt8(value) + 32) : self
    }
}
