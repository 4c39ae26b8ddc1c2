package import FlowModel

/// An error in a query, which is found before the query runs.
public struct QueryProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error code that the protocol's clients define for a predicate that cannot be translated.
    public static let predicateCode = -1400
    /// The error code that the protocol's clients define for an invalid parameter.
    public static let parameterCode = -1106

    package let reason: Reason
    /// The position in the option's decoded value or the predicate, in code points from 0, or `nil` if it is unknown.
    public let position: Int?
    /// The name of the invalid option, such as `$filter`, or `nil` if the error is in a predicate.
    public let option: String?
    /// The error code that the protocol's clients define for this error, or `nil` if there is none.
    public let code: Int?

    package init(_ reason: Reason, at position: Int? = nil, option: String? = nil, code: Int? = nil) {
        self.reason = reason
        self.position = position
        self.option = option
        self.code = code
    }

    /// The message for the author of the query, as one English sentence.
    public var message: String { reason.said.english }

    /// The option, the message and the position, in the form that a server sends.
    public var description: String { said.english }

    func of(_ option: String) -> QueryProblem {
        QueryProblem(reason, at: position, option: option, code: code)
    }
}

extension QueryProblem: TextualError {
    package var said: EnglishText {
        let (words, text) = (reason.said.english, reason.said.text)
        return switch (option, position) {
        case (nil, nil): reason.said
        case (let option?, nil): .init("\(option): \(words)", "query.ofOption", ["option": option, "text": text])
        case (nil, let position?):
            .init("\(words) (at position \(position))", "query.atPosition", ["text": text, "position": position])
        case (let option?, let position?):
            .init(
                "\(option): \(words) (at position \(position))",
                "query.ofOptionAt",
                ["option": option, "text": text, "position": position]
            )
        }
    }
}

/// The limits on the size of a query, which also limit the cost of a request.
public struct QueryLimits: Hashable, Sendable {
    /// The default limits, which servers use.
    public static let standard = QueryLimits()

    /// The maximum UTF-8 length of an option, a parameter, a predicate, or all strings and names in an expression.
    public var length = 8192
    /// The maximum depth of an expression tree.
    public var depth = 64
    /// The maximum total number of nodes in all expressions of an option.
    public var nodes = 1000
    /// The maximum number of custom parameters.
    public var parameters = 32
    /// The maximum number of terms in a sort order, and the maximum number of column names in a selection.
    public var terms = 100
    /// The maximum value of `$top`.
    public var top = 1000
    /// The maximum value of `$skip`.
    public var skip = Int(Int32.max)

    /// Creates the default limits.
    public init() {}

    /// The maximum nesting of parentheses and signs in a text, enough for every expression tree that ``depth`` allows.
    var nesting: Int { 2 * depth + 8 }
}
