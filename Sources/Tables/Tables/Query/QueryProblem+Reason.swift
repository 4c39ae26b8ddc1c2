package import FlowModel

extension QueryProblem {
    /// What is wrong with a query.
    package enum Reason: Hashable, Sendable {
        // The text of an expression.
        case syntaxError, unbalancedParentheses, unterminatedText, unknownEscape, unknownCast
        case unknownIdentifier(String)
        case notADate(String)
        case notAGUID(String)
        case notAColumnName(String)
        case numberOutOfRange, dateOutOfRange

        // Its size.
        case tooLong(bytes: Int)
        case tooDeep(Int)
        case tooManyParts(Int)
        case tooManyTerms(Int)
        case tooManyNames(Int)
        case tooMuchText(bytes: Int)
        case statementTooDeep, statementTooLong

        // Its functions and operators.
        case parameters(QueryFunction)
        case nestedReplace
        case tooManyReplaces(Int)
        case replacement(characters: Int)
        case fewConditions, emptyList

        // A predicate.
        case untranslatable(String)
        case betweenWithoutTwo, nestedBetween
        case unknownModifier(String)
        case argumentIsList(String)
        case argumentOfOtherKind(String)
        case unknownPlaceholder(String)
        case argumentIsNoList, argumentIsNoName, argumentMissing
        case argumentCount(Int, placeholders: Int)

        // The types of a table's columns.
        case unknownColumn(String, nearest: String?)
        case notACondition(EnglishText)
        case notComparable(EnglishText, EnglishText)
        case notCalculable(EnglishText)
        case parameterType(QueryFunction, wanted: EnglishText, given: EnglishText)

        // The options of an address.
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
    /// The sentence, in English and as a text.
    package var said: EnglishText {
        switch self {
        case .syntaxError: EnglishText("Syntax error", Text("query.syntaxError"))
        case .unbalancedParentheses: EnglishText("Unbalanced parentheses", Text("query.unbalancedParentheses"))
        case .unterminatedText: EnglishText("Unterminated string literal", Text("query.unterminatedText"))
        case .unknownEscape: EnglishText("Unknown escape in a string literal", Text("query.unknownEscape"))
        case .unknownCast: EnglishText("only dates and GUIDs can be cast", Text("query.unknownCast"))
        case .unknownIdentifier(let name):
            EnglishText("Unknown identifier '\(name)'", Text("query.unknownIdentifier", ["name": name]))
        case .notADate(let text): EnglishText("'\(text)' is not a date", Text("query.notADate", ["text": text]))
        case .notAGUID(let text): EnglishText("'\(text)' is not a GUID", Text("query.notAGUID", ["text": text]))
        case .notAColumnName(let name):
            EnglishText("'\(name)' cannot name a column", Text("query.notAColumnName", ["name": name]))
        case .numberOutOfRange: EnglishText("the number is out of range", Text("query.numberOutOfRange"))
        case .dateOutOfRange: EnglishText("the date is outside the years 1 to 9999", Text("query.dateOutOfRange"))

        case .tooLong(let bytes):
            EnglishText("is longer than \(bytes) bytes", Text("query.tooLong", ["bytes": bytes]))
        case .tooDeep(let most): EnglishText("is nested deeper than \(most)", Text("query.tooDeep", ["most": most]))
        case .tooManyParts(let most):
            EnglishText("has more than \(most) parts", Text("query.tooManyParts", ["most": most]))
        case .tooManyTerms(let most):
            EnglishText("has more than \(most) terms", Text("query.tooManyTerms", ["most": most]))
        case .tooManyNames(let most):
            EnglishText("has more than \(most) names", Text("query.tooManyNames", ["most": most]))
        case .tooMuchText(let bytes):
            EnglishText("has texts of more than \(bytes) bytes in all", Text("query.tooMuchText", ["bytes": bytes]))
        case .statementTooDeep: EnglishText("is nested too deeply", Text("query.statementTooDeep"))
        case .statementTooLong: EnglishText("is too long", Text("query.statementTooLong"))

        case .parameters(let function) where function.arity == 1...1:
            EnglishText(
                "Function '\(function.rawValue)' requires 1 parameter.",
                Text("query.parameters", ["function": function.rawValue, "count": 1])
            )
        case .parameters(let function) where function.arity.count == 1:
            EnglishText(
                "Function '\(function.rawValue)' requires \(function.arity.lowerBound) parameters.",
                Text("query.parameters", ["function": function.rawValue, "count": function.arity.lowerBound])
            )
        case .parameters(let function):
            EnglishText(
                "Function '\(function.rawValue)' requires \(function.arity.lowerBound) or \(function.arity.upperBound) parameters.",
                Text(
                    "query.eitherParameters",
                    [
                        "function": function.rawValue, "least": function.arity.lowerBound,
                        "most": function.arity.upperBound,
                    ]
                )
            )
        case .nestedReplace: EnglishText("Calls to 'replace' cannot be nested.", Text("query.nestedReplace"))
        case .tooManyReplaces(let most):
            EnglishText(
                "'replace' cannot be called more than \(most) times.",
                Text("query.tooManyReplaces", ["most": most])
            )
        case .replacement(let characters):
            EnglishText(
                "The third parameter of 'replace' must be a constant text of at most \(characters) characters.",
                Text("query.replacement", ["characters": characters])
            )
        case .fewConditions: EnglishText("and, or: need two conditions", Text("query.fewConditions"))
        case .emptyList: EnglishText("in: needs a value", Text("query.emptyList"))

        case .untranslatable(let word):
            EnglishText("\(word) cannot be asked of a table", Text("query.untranslatable", ["word": word]))
        case .betweenWithoutTwo: EnglishText("BETWEEN needs two values", Text("query.betweenWithoutTwo"))
        case .nestedBetween: EnglishText("BETWEEN cannot be nested", Text("query.nestedBetween"))
        case .unknownModifier(let letters):
            EnglishText(
                "[\(letters)] is not supported, only [c] is",
                Text("query.unknownModifier", ["letters": letters])
            )
        case .argumentIsList(let letters):
            EnglishText("%\(letters) cannot be a list here", Text("query.argumentIsList", ["letters": letters]))
        case .argumentOfOtherKind(let letters):
            EnglishText(
                "%\(letters) needs an argument of another kind",
                Text("query.argumentOfOtherKind", ["letters": letters])
            )
        case .unknownPlaceholder(let letters):
            EnglishText("%\(letters) is no placeholder", Text("query.unknownPlaceholder", ["letters": letters]))
        case .argumentIsNoList: EnglishText("%@ must be a list here", Text("query.argumentIsNoList"))
        case .argumentIsNoName: EnglishText("%K needs the name of a column", Text("query.argumentIsNoName"))
        case .argumentMissing: EnglishText("An argument is missing", Text("query.argumentMissing"))
        case .argumentCount(let given, let placeholders):
            EnglishText(
                "There are \(given) arguments for \(placeholders) placeholders",
                Text("query.argumentCount", ["given": given, "placeholders": placeholders])
            )

        case .unknownColumn(let name, nil):
            EnglishText("there is no column '\(name)'", Text("query.unknownColumn", ["name": name]))
        case .unknownColumn(let name, let nearest?):
            EnglishText(
                "there is no column '\(name)' (did you mean '\(nearest)'?)",
                Text("query.unknownColumn.nearest", ["name": name, "nearest": nearest])
            )
        case .notACondition(let kind):
            EnglishText("\(kind.english) is not a condition", Text("query.notACondition", ["kind": kind.text]))
        case .notComparable(let left, let right):
            EnglishText(
                "\(left.english) cannot be compared with \(right.english)",
                Text("query.notComparable", ["left": left.text, "right": right.text])
            )
        case .notCalculable(let kind):
            EnglishText("\(kind.english) cannot be calculated with", Text("query.notCalculable", ["kind": kind.text]))
        case .parameterType(let function, let wanted, let given):
            EnglishText(
                "'\(function.rawValue)' takes \(wanted.english), not \(given.english)",
                Text(
                    "query.parameterType",
                    ["function": function.rawValue, "wanted": wanted.text, "given": given.text]
                )
            )

        case .repeated: EnglishText("stands twice", Text("query.repeated"))
        case .notUTF8: EnglishText("the query is not percent-encoded UTF-8", Text("query.notUTF8"))
        case .unnamedParameter: EnglishText("A query parameter needs a name.", Text("query.unnamedParameter"))
        case .reservedParameter(let name):
            EnglishText(
                "Invalid query parameter name '\(name)'. Custom query parameter names must not start with $ or __.",
                Text("query.reservedParameter", ["name": name])
            )
        case .tooManyParameters(let most):
            EnglishText(
                "There are more than \(most) query parameters.",
                Text("query.tooManyParameters", ["most": most])
            )
        case .tooManyRows(let most):
            EnglishText("You cannot request more than \(most) records", Text("query.tooManyRows", ["most": most]))
        case .tooManyRowsInFirstVersion(let most):
            EnglishText(
                "The value of the $top query option cannot exceed \(most).",
                Text("query.tooManyRowsInFirstVersion", ["most": most])
            )
        case .tooManySkipped(let most):
            EnglishText("You cannot skip more than \(most) records", Text("query.tooManySkipped", ["most": most]))
        case .notANumberOfRows(let text):
            EnglishText("'\(text)' is not a number of rows", Text("query.notANumberOfRows", ["text": text]))
        case .neither(let one, let other):
            EnglishText("must be \(one) or \(other)", Text("query.neither", ["one": one, "other": other]))
        case .unknownSystemProperty(let name):
            EnglishText(
                "'\(name)' is not a supported system property",
                Text("query.unknownSystemProperty", ["name": name])
            )
        }
    }
}
