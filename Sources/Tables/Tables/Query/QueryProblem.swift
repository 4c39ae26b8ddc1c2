/// A mistake in a query, which reached no table.
public struct QueryProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The number that the clients of the protocol know for a predicate that cannot be translated.
    public static let predicateCode = -1400
    /// The number that the clients of the protocol know for a parameter that a query cannot carry.
    public static let parameterCode = -1106

    /// One sentence for the person who wrote the query.
    public let message: String
    /// The position of the mistake in Unicode code points from 0, within the option's decoded value or the predicate.
    public let position: Int?
    /// The option that is wrong, such as `$filter`; nil for a predicate.
    public let option: String?
    /// The number that stands for it in the clients of the protocol, where they have one.
    public let code: Int?

    /// A problem at a place.
    public init(_ message: String, at position: Int? = nil, option: String? = nil, code: Int? = nil) {
        self.message = message
        self.position = position
        self.option = option
        self.code = code
    }

    /// The option, the sentence and the place, as a server answers them.
    public var description: String {
        let place = position.map { " (at position \($0))" } ?? ""
        return (option.map { "\($0): " } ?? "") + message + place
    }

    /// The same problem, of that option.
    func of(_ option: String) -> QueryProblem {
        QueryProblem(message, at: position, option: option, code: code)
    }
}
