/// A query of one table: a condition, an order, a page and a selection of columns.
public struct Query: Hashable, Sendable {
    /// The flavours of the protocol, which differ in how a query is written; each reader understands all three.
    public enum Dialect: String, CaseIterable, Sendable {
        /// Mobile Services: system columns begin with `__`.
        case v1
        /// Mobile Apps, `ZUMO-API-VERSION: 2.0.0`.
        case v2
        /// `ZUMO-API-VERSION: 3.0.0`: `$count`, and dates without prefix (OData v4).
        case v3
    }

    /// A parameter that is none of the protocol's own.
    public struct Parameter: Hashable, Sendable {
        /// The name, as sent.
        public let name: String
        /// The value, decoded.
        public let value: String

        /// A parameter.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The condition; nil for every row.
    public var filter: Filter?
    /// The keys of the order, the first first.
    public var order: [SortTerm] = []
    /// Rows to leave out; nil if not said.
    public var skip: Int?
    /// Most rows to return; nil if not said.
    public var top: Int?
    /// The columns to return, in this order; empty for all.
    public var selection: [String] = [] {
        didSet { selectionPlaces = SourcePositions() }
    }
    /// The answer has the number of all rows that match.
    public var includesTotalCount = false
    /// The answer has deleted rows, too.
    public var includesDeleted = false
    /// The system columns to return (v1); nil if not said.
    public var systemProperties: SystemProperties?
    /// Custom parameters, for a hook of the table, in order; names may repeat.
    public var parameters: [Parameter] = []

    /// The positions of the selection's names.
    package internal(set) var selectionPlaces = SourcePositions()

    /// Every row.
    public init() {}
}

extension Query {
    /// The query of an address; reading it in the same dialect gives an equal query.
    ///
    /// - Parameter dialect: The flavour that the server speaks.
    /// - Returns: The text after the `?`, percent-encoded; nil if it is empty.
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
    /// The rows of this query for which the predicate holds as well.
    ///
    /// `try Query().where("complete == NO AND duration > %@", 3)`
    ///
    /// - Parameters:
    ///   - predicate: A condition as ``Filter/init(predicate:arguments:limits:)`` reads it.
    ///   - arguments: The values for `%@`, `%d`, `%f` and `%K`, in order.
    /// - Returns: A copy with the condition added.
    /// - Throws: ``QueryProblem`` with code -1400 and the place.
    public func `where`(_ predicate: String, _ arguments: any PredicateArgument...) throws(QueryProblem) -> Query {
        self.where(try Filter(predicate: predicate, arguments: arguments))
    }

    /// The rows of this query for which the condition holds as well.
    public func `where`(_ condition: Filter) -> Query {
        with { $0.filter = $0.filter?.and(condition) ?? condition }
    }

    /// Orders by a column, after those it is ordered by already.
    public func sort(by column: String, descending: Bool = false) -> Query {
        with { $0.order.append(SortTerm(column, isDescending: descending)) }
    }

    /// At most this many rows.
    public func top(_ count: Int) -> Query { with { $0.top = max(0, count) } }

    /// Without this many rows at the beginning.
    public func skip(_ count: Int) -> Query { with { $0.skip = max(0, count) } }

    /// Only these columns, after those that were chosen already.
    public func select(_ columns: String...) -> Query { with { $0.selection += columns } }

    /// With the number of all rows that match.
    public func includeTotalCount() -> Query { with { $0.includesTotalCount = true } }

    /// With rows that were deleted.
    public func includeDeleted() -> Query { with { $0.includesDeleted = true } }

    /// With a parameter for whoever stands behind the table.
    ///
    /// - Parameters:
    ///   - name: A name that does not begin with `$` or `__`; it may stand several times.
    ///   - value: Any text.
    /// - Returns: A copy with the parameter added.
    /// - Throws: ``QueryProblem`` with code -1106 if the name is reserved or empty.
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
