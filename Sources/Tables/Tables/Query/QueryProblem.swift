package import FlowModel

/// A mistake in a query, which reached no table.
public struct QueryProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The number that the clients of the protocol know for a predicate that cannot be translated.
    public static let predicateCode = -1400
    /// The number that the clients of the protocol know for a parameter that a query cannot carry.
    public static let parameterCode = -1106

    /// What is wrong.
    package let reason: Reason
    /// The position of the mistake in Unicode code points from 0, within the option's decoded value or the predicate.
    public let position: Int?
    /// The option that is wrong, such as `$filter`; nil for a predicate.
    public let option: String?
    /// The number that stands for it in the clients of the protocol, where they have one.
    public let code: Int?

    /// A problem at a place.
    package init(_ reason: Reason, at position: Int? = nil, option: String? = nil, code: Int? = nil) {
        self.reason = reason
        self.position = position
        self.option = option
        self.code = code
    }

    /// One sentence for the person who wrote the query.
    public var message: String { reason.said.english }

    /// The option, the sentence and the place, as a server answers them.
    public var description: String { said.english }

    /// The same problem, of that option.
    func of(_ option: String) -> QueryProblem {
        QueryProblem(reason, at: position, option: option, code: code)
    }
}

extension QueryProblem: TextualError {
    /// The option, the sentence and the place, in English and as a text.
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

/// The greatest size of a query, so that no request costs more than its reader allows.
public struct QueryLimits: Hashable, Sendable {
    /// The limits of a server.
    public static let standard = QueryLimits()

    /// Longest value of one option or parameter, longest predicate, and longest texts and names of one expression in all,
    /// in bytes of UTF-8.
    public var length = 8192
    /// Deepest tree of an expression.
    public var depth = 64
    /// Most nodes of all expressions of an option together.
    public var nodes = 1000
    /// Most custom parameters.
    public var parameters = 32
    /// Most terms of an order, and most names of a selection.
    public var terms = 100
    /// Most rows that `$top` may ask for.
    public var top = 1000
    /// Most rows that `$skip` may leave out.
    public var skip = Int(Int32.max)

    /// The standard limits.
    public init() {}

    /// Most parentheses and signs within each other: as many as any tree within ``depth`` needs when it is written down.
    var nesting: Int { 2 * depth + 8 }
}
