extension Filter {
    /// Reads a predicate as `NSPredicate` writes it.
    ///
    /// `= == != <> < <= > >=`, `AND OR NOT && || !`, `IN {1, 2}`, `BETWEEN {1, 5}`, `CONTAINS BEGINSWITH ENDSWITH`, each
    /// with `[c]` to ignore case, `YES NO TRUE FALSE NULL NIL`, `TRUEPREDICATE FALSEPREDICATE`, `+ - * /`, texts in
    /// either kind of quotation marks. Words have no case; `#name` is a column whatever its name. `MATCHES`, `LIKE` and
    /// what looks into other rows is refused.
    ///
    /// - Parameters:
    ///   - predicate: The text.
    ///   - arguments: The values for `%@`, `%d`, `%ld`, `%f` and, as a column name, `%K`, in order. They are values and
    ///     never become part of the text.
    ///   - limits: The limits on its size.
    /// - Throws: ``QueryProblem`` with code -1400 and the place in `predicate`.
    public init(
        predicate: String,
        arguments: [any PredicateArgument] = [],
        limits: QueryLimits = .standard
    ) throws(QueryProblem) {
        var parser = try PredicateParser(predicate, arguments.map(\.predicateValue), limits: limits)
        let node = try parser.whole()
        self.init(root: node.expression, places: node.places)
    }
}
