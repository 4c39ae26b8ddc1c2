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
            throw QueryProblem("A query parameter needs a name.", code: QueryProblem.parameterCode)
        }
        guard name.hasPrefix("$") || name.hasPrefix("__") else { return }
        throw QueryProblem(
            "Invalid query parameter name '\(name.prefix(64))'. "
                + "Custom query parameter names must not start with $ or __.",
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
