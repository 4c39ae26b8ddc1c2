extension Query {
    /// The query of an address; reading it in the same dialect gives an equal query.
    ///
    /// - Parameter dialect: The flavour that the server speaks.
    /// - Returns: The text after the `?`, percent-encoded; nil if it is empty.
    public func urlQuery(_ dialect: Dialect = .v2) -> String? {
        var pairs: [(name: String, value: String)] = []
        if let filter { pairs.append(("$filter", ExpressionText(dialect).text(filter.root))) }
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
