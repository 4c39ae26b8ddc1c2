/// A query on one table, with a condition, a sort order, a page and a selection of columns.
public struct Query: Hashable, Sendable {
    /// The versions of the protocol, which differ in how a query is written and are all accepted by the parser.
    public enum Dialect: String, CaseIterable, Sendable {
        /// Mobile Services, in which the names of system columns begin with `__`.
        case v1
        /// Mobile Apps with `ZUMO-API-VERSION: 2.0.0`.
        case v2
        /// Mobile Apps with `ZUMO-API-VERSION: 3.0.0`, with `$count` and dates without a prefix (OData v4).
        case v3
    }

    /// A custom parameter, which the protocol does not define.
    public struct Parameter: Hashable, Sendable {
        /// The decoded name, in the case in which it was sent.
        public let name: String
        /// The decoded value.
        public let value: String

        /// Creates a parameter.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The condition, or `nil` to select every row.
    public var filter: Filter?
    /// The sort terms, most significant first.
    public var order: [SortTerm] = []
    /// The number of rows to skip, or `nil` if not set.
    public var skip: Int?
    /// The maximum number of rows to return, or `nil` if not set.
    public var top: Int?
    /// The columns to return, in this order, or empty for all columns.
    public var selection: [String] = [] {
        didSet { selectionPlaces = SourcePositions() }
    }
    /// Whether the response contains the total number of matching rows.
    public var includesTotalCount = false
    /// Whether the response contains deleted rows.
    public var includesDeleted = false
    /// The system columns to return in version 1 of the protocol, or `nil` if not set.
    public var systemProperties: SystemProperties?
    /// Custom parameters for the table's hook, in order and possibly with repeated names.
    public var parameters: [Parameter] = []

    package internal(set) var selectionPlaces = SourcePositions()

    /// Creates a query that selects every row.
    public init() {}
}

extension Query {
    /// Returns the percent-encoded query component of a URL, which parses to an equal query, or `nil` if it is empty.
    public func urlQuery(_ dialect: Dialect = .v2) -> String? {
        var pairs: [(name: String, value: String)] = []
        if let filter { pairs.append(("$filter", ExpressionText(dialect: dialect).text(filter.root))) }
        if !order.isEmpty { pairs.append(("$orderby", order.map { $0.text(dialect) }.joined(separator: ","))) }
        if let skip { pairs.append(("$skip", "\(skip)")) }
        if let top { pairs.append(("$top", "\(top)")) }
        if !selection.isEmpty { pairs.append(("$select", selection.joined(separator: ","))) }
        if includesTotalCount { pairs.append(dialect == .v3 ? ("$count", "true") : ("$inlinecount", "allpages")) }
        if includesDeleted { pairs.append(("__includeDeleted", "true")) }
        if let systemProperties { pairs.append(("__systemproperties", systemProperties.text)) }
        pairs += parameters.map { ($0.name, $0.value) }
        guard !pairs.isEmpty else { return nil }
        return pairs.map { "\(PercentCoding.encoded($0.name))=\(PercentCoding.encoded($0.value))" }
            .joined(separator: "&")
    }
}

extension Query {
    /// Returns this query with an additional `NSPredicate`, such as `where("complete == NO AND duration > %@", 3)`.
    ///
    /// - Throws: ``QueryProblem`` with code -1400 and the position.
    public func `where`(_ predicate: String, _ arguments: any PredicateArgument...) throws(QueryProblem) -> Query {
        self.where(try Filter(predicate: predicate, arguments: arguments))
    }

    /// Returns this query with an additional condition.
    public func `where`(_ condition: Filter) -> Query {
        with { $0.filter = $0.filter?.and(condition) ?? condition }
    }

    /// Returns this query with `column` added as the least significant sort term.
    public func sort(by column: String, descending: Bool = false) -> Query {
        with { $0.order.append(SortTerm(column, isDescending: descending)) }
    }

    /// Returns this query with `count` as the maximum number of rows.
    public func top(_ count: Int) -> Query { with { $0.top = max(0, count) } }

    /// Returns this query with `count` as the number of rows to skip.
    public func skip(_ count: Int) -> Query { with { $0.skip = max(0, count) } }

    /// Returns this query with additional selected columns.
    public func select(_ columns: String...) -> Query { with { $0.selection += columns } }

    /// Returns this query with a request for the total number of matching rows.
    public func includeTotalCount() -> Query { with { $0.includesTotalCount = true } }

    /// Returns this query with deleted rows included.
    public func includeDeleted() -> Query { with { $0.includesDeleted = true } }

    /// Returns this query with a custom parameter for the table's hook.
    ///
    /// - Throws: ``QueryProblem`` with code -1106 if the name is empty or begins with `$` or `__`.
    public func parameter(_ name: String, _ value: String) throws(QueryProblem) -> Query {
        try Self.refuseReserved(name)
        return with { $0.parameters.append(Parameter(name, value)) }
    }

    static func refuseReserved(_ name: String) throws(QueryProblem) {
        if name.isEmpty {
            throw QueryProblem(.unnamedParameter, code: QueryProblem.parameterCode)
        }
        guard name.hasPrefix("$") || name.hasPrefix("__") else { return }
        throw QueryProblem(
            .reservedParameter(String(name.prefix(64))),
            option: String(name.prefix(64)),
            code: QueryProblem.parameterCode
        )
    }

    private func with(_ change: (inout Query) -> Void) -> Query {
        var copy = self
        change(&copy)
        return copy
    }
}
