/// Reads the characters of an expression in OData's grammar or in the format of `NSPredicate`, from left to right.
struct ConditionScanner {
    private let text: [Unicode.Scalar]
    /// The number of code points already read.
    private(set) var position = 0

    init(_ text: String, limits: QueryLimits) throws(QueryProblem) {
        guard text.utf8.count <= limits.length else {
            throw QueryProblem(.tooLong(bytes: limits.length), at: 0)
        }
        self.text = Array(text.unicodeScalars)
    }

    /// Returns the next code point, or the code point `ahead` positions after the next one, without consuming any.
    func peek(_ ahead: Int = 0) -> Unicode.Scalar? {
        position + ahead < text.count ? text[position + ahead] : nil
    }

    func stands(_ sign: String) -> Bool {
        sign.unicodeScalars.enumerated().allSatisfy { peek($0.offset) == $0.element }
    }

    @discardableResult
    mutating func take() -> Unicode.Scalar? {
        guard let scalar = peek() else { return nil }
        position += 1
        return scalar
    }

    mutating func take(while condition: (Unicode.Scalar) -> Bool) -> String {
        var taken = String.UnicodeScalarView()
        while let scalar = peek(), condition(scalar) {
            taken.append(scalar)
            position += 1
        }
        return String(taken)
    }

    mutating func skip(_ sign: String) -> Bool {
        guard stands(sign) else { return false }
        position += sign.unicodeScalars.count
        return true
    }

    mutating func skipBlanks() { _ = take(while: \.isBlank) }

    /// Reads an unsigned number (`12`, `1.5`, `1e-3`) with an optional suffix letter from `suffixes`, ignoring case.
    ///
    /// - Throws: ``QueryProblem`` if a digit is missing, or if a name or a dot directly follows the number.
    mutating func number(suffixes: String = "") throws(QueryProblem) -> String {
        let start = position
        var number = take(while: \.isDigit)
        if peek() == ".", peek(1)?.isDigit == true {
            position += 1
            number += "." + take(while: \.isDigit)
        }
        if skip("e") || skip("E") {
            number += "e"
            if let sign = peek(), sign == "+" || sign == "-" {
                position += 1
                number.unicodeScalars.append(sign)
            }
            guard peek()?.isDigit == true else { throw QueryProblem(.syntaxError, at: start) }
            number += take(while: \.isDigit)
        }
        if let suffix = peek()?.properties.lowercaseMapping, suffixes.contains(suffix) {
            position += 1
            number += suffix
        }
        guard peek()?.continuesName != true, peek() != "." else { throw QueryProblem(.syntaxError, at: start) }
        return number
    }
}
