package import FlowModel

extension QueryProblem {
    package enum Reason: Hashable, Sendable {
        case syntaxError, unbalancedParentheses, unterminatedText, unknownEscape, unknownCast
        case unknownIdentifier(String)
        case notADate(String)
        case notAGUID(String)
        case notAColumnName(String)
        case numberOutOfRange, dateOutOfRange

        case tooLong(bytes: Int)
        case tooDeep(Int)
        case tooManyParts(Int)
        case tooManyTerms(Int)
        case tooManyNames(Int)
        case tooMuchText(bytes: Int)
        case statementTooDeep, statementTooLong

        case parameters(QueryFunction)
        case nestedReplace
        case tooManyReplaces(Int)
        case replacement(characters: Int)
        case fewConditions, emptyList

        case untranslatable(String)
        case betweenWithoutTwo, nestedBetween
        case unknownModifier(String)
        case argumentIsList(String)
        case argumentOfOtherKind(String)
        case unknownPlaceholder(String)
        case argumentIsNoList, argumentIsNoName, argumentMissing
        case argumentCount(Int, placeholders: Int)

        case unknownColumn(String, nearest: String?)
        case notACondition(EnglishText)
        case notComparable(EnglishText, EnglishText)
        case notCalculable(EnglishText)
        case parameterType(QueryFunction, wanted: EnglishText, given: EnglishText)

        case repeated, notUTF8, unnamedParameter
        case reservedParameter(String)
        case tooManyParameters(Int)
        case tooManyRows(Int)
        case tooManyRowsInFirstVersion(Int)
        case tooManySkipped(Int)
        case notANumberOfRows(String)
        case neither(String, String)
        case unknownSystemProperty(String)
    }
}

extension QueryProblem.Reason {
    package var said: EnglishText {
        switch self {
        case .syntaxError: .init("Syntax error", "query.syntaxError")
        case .unbalancedParentheses: .init("Unbalanced parentheses", "query.unbalancedParentheses")
        case .unterminatedText: .init("Unterminated string literal", "query.unterminatedText")
        case .unknownEscape: .init("Unknown escape in a string literal", "query.unknownEscape")
        case .unknownCast: .init("Only dates and GUIDs can be cast", "query.unknownCast")
        case .unknownIdentifier(let name):
            .init("Unknown identifier '\(name)'", "query.unknownIdentifier", ["name": name])
        case .notADate(let text): .init("'\(text)' is not a date", "query.notADate", ["text": text])
        case .notAGUID(let text): .init("'\(text)' is not a GUID", "query.notAGUID", ["text": text])
        case .notAColumnName(let name):
            .init("'\(name)' is not a valid column name", "query.notAColumnName", ["name": name])
        case .numberOutOfRange: .init("The number is out of range", "query.numberOutOfRange")
        case .dateOutOfRange: .init("The year of the date must be from 1 to 9999", "query.dateOutOfRange")

        case .tooLong(let bytes): .init("must be at most \(bytes) bytes long", "query.tooLong", ["bytes": bytes])
        case .tooDeep(let most): .init("must not be nested deeper than \(most) levels", "query.tooDeep", ["most": most])
        case .tooManyParts(let most): .init("must have at most \(most) parts", "query.tooManyParts", ["most": most])
        case .tooManyTerms(let most): .init("must have at most \(most) terms", "query.tooManyTerms", ["most": most])
        case .tooManyNames(let most): .init("must have at most \(most) names", "query.tooManyNames", ["most": most])
        case .tooMuchText(let bytes):
            .init(
                "must contain at most \(bytes) bytes of strings and names in total",
                "query.tooMuchText",
                ["bytes": bytes]
            )
        case .statementTooDeep: .init("is nested too deeply", "query.statementTooDeep")
        case .statementTooLong: .init("is too long", "query.statementTooLong")

        case .parameters(let function) where function.arity == 1...1:
            .init(
                "Function '\(function.rawValue)' requires 1 parameter.",
                "query.parameters",
                ["function": function.rawValue, "count": 1]
            )
        case .parameters(let function) where function.arity.count == 1:
            .init(
                "Function '\(function.rawValue)' requires \(function.arity.lowerBound) parameters.",
                "query.parameters",
                ["function": function.rawValue, "count": function.arity.lowerBound]
            )
        case .parameters(let function):
            .init(
                "Function '\(function.rawValue)' requires \(function.arity.lowerBound) or \(function.arity.upperBound) parameters.",
                "query.eitherParameters",
                ["function": function.rawValue, "least": function.arity.lowerBound, "most": function.arity.upperBound]
            )
        case .nestedReplace: .init("Calls to 'replace' cannot be nested.", "query.nestedReplace")
        case .tooManyReplaces(let most):
            .init("'replace' cannot be called more than \(most) times.", "query.tooManyReplaces", ["most": most])
        case .replacement(let characters):
            .init(
                "The third parameter of 'replace' must be a constant string of at most \(characters) characters.",
                "query.replacement",
                ["characters": characters]
            )
        case .fewConditions: .init("'and' and 'or' require two conditions", "query.fewConditions")
        case .emptyList: .init("'in' requires a value", "query.emptyList")

        case .untranslatable(let word):
            .init("\(word) is not supported in a table query", "query.untranslatable", ["word": word])
        case .betweenWithoutTwo: .init("BETWEEN requires two values", "query.betweenWithoutTwo")
        case .nestedBetween: .init("BETWEEN cannot be nested", "query.nestedBetween")
        case .unknownModifier(let letters):
            .init("[\(letters)] is not supported. Use [c]", "query.unknownModifier", ["letters": letters])
        case .argumentIsList(let letters):
            .init("%\(letters) does not accept a list", "query.argumentIsList", ["letters": letters])
        case .argumentOfOtherKind(let letters):
            .init(
                "%\(letters) requires an argument of a different type",
                "query.argumentOfOtherKind",
                ["letters": letters]
            )
        case .unknownPlaceholder(let letters):
            .init("%\(letters) is not a placeholder", "query.unknownPlaceholder", ["letters": letters])
        case .argumentIsNoList: .init("%@ must be a list here", "query.argumentIsNoList")
        case .argumentIsNoName: .init("%K requires a column name", "query.argumentIsNoName")
        case .argumentMissing: .init("There are too few arguments for the placeholders", "query.argumentMissing")
        case .argumentCount(let given, let placeholders):
            .init(
                "There are \(given) arguments for \(placeholders) placeholders",
                "query.argumentCount",
                ["given": given, "placeholders": placeholders]
            )

        case .unknownColumn(let name, nil): .init("There is no column '\(name)'", "query.unknownColumn", ["name": name])
        case .unknownColumn(let name, let nearest?):
            .init(
                "There is no column '\(name)' (did you mean '\(nearest)'?)",
                "query.unknownColumn.nearest",
                ["name": name, "nearest": nearest]
            )
        case .notACondition(let kind):
            .init("\(kind.english) is not a condition", "query.notACondition", ["kind": kind.text])
        case .notComparable(let left, let right):
            .init(
                "\(left.english) cannot be compared with \(right.english)",
                "query.notComparable",
                ["left": left.text, "right": right.text]
            )
        case .notCalculable(let kind):
            .init("\(kind.english) cannot be used in a calculation", "query.notCalculable", ["kind": kind.text])
        case .parameterType(let function, let wanted, let given):
            .init(
                "'\(function.rawValue)' takes \(wanted.english), not \(given.english)",
                "query.parameterType",
                ["function": function.rawValue, "wanted": wanted.text, "given": given.text]
            )

        case .repeated: .init("must not be repeated", "query.repeated")
        case .notUTF8: .init("The query is not percent-encoded UTF-8", "query.notUTF8")
        case .unnamedParameter: .init("A query parameter needs a name.", "query.unnamedParameter")
        case .reservedParameter(let name):
            .init(
                "Invalid query parameter name '\(name)'. Custom query parameter names must not start with $ or __.",
                "query.reservedParameter",
                ["name": name]
            )
        case .tooManyParameters(let most):
            .init("At most \(most) query parameters are allowed.", "query.tooManyParameters", ["most": most])
        case .tooManyRows(let most):
            .init("You cannot request more than \(most) records", "query.tooManyRows", ["most": most])
        case .tooManyRowsInFirstVersion(let most):
            .init(
                "The value of the $top query option cannot exceed \(most).",
                "query.tooManyRowsInFirstVersion",
                ["most": most]
            )
        case .tooManySkipped(let most):
            .init("You cannot skip more than \(most) records", "query.tooManySkipped", ["most": most])
        case .notANumberOfRows(let text):
            .init("'\(text)' is not a valid number of rows", "query.notANumberOfRows", ["text": text])
        case .neither(let one, let other):
            .init("must be \(one) or \(other)", "query.neither", ["one": one, "other": other])
        case .unknownSystemProperty(let name):
            .init("'\(name)' is not a supported system property", "query.unknownSystemProperty", ["name": name])
        }
    }
}
