import Tables

extension FuzzedInput {
    /// The value of `$filter`, or a complete URL query with all options.
    static let filter = FuzzedInput(name: "filter") { bytes in
        guard let text = String(validating: bytes, as: UTF8.self) else { return }
        if let filter = try? Filter(parsing: text) {
            let written = filter.text
            if written.utf8.count <= QueryLimits.standard.length {
                guard let again = try? Filter(parsing: written) else {
                    throw Broken(description: "a filter does not read back: \(written)")
                }
                try require(again == filter, "a filter reads back as another: \(written)")
                try require(again.text == written, "a filter is written in two ways: \(written)")
            }
        }
        for dialect in [Query.Dialect.v1, .v2, .v3] {
            guard let query = try? Query(url: text, dialect: dialect) else { continue }
            let written = query.urlQuery(dialect) ?? ""
            guard written.utf8.count <= QueryLimits.standard.length else { continue }
            guard let again = try? Query(url: written, dialect: dialect) else {
                throw Broken(description: "a query does not read back: \(written)")
            }
            try require(again == query, "a query reads back as another: \(written)")
        }
    }
}
