import Synchronization
import Tables

/// A cache of parsed list queries: clients repeat the same few lists over and over.
final class ParsedQueries: Sendable {
    /// The most queries that are cached; the next one empties the cache first.
    static let limit = 256
    /// The longest query that is cached, in bytes.
    static let maxLength = 1024

    private struct Key: Hashable {
        let text: String
        let dialect: Query.Dialect
        let top: Int
    }

    private let known = Mutex<[Key: Query]>([:])

    /// Parses the query component of an address, the text after its `?`.
    ///
    /// - Throws: `QueryProblem` if the query is not valid.
    func query(_ text: String?, dialect: Query.Dialect, limits: QueryLimits) throws(QueryProblem) -> Query {
        guard let text, text.utf8.count <= Self.maxLength else {
            return try Query(url: text, dialect: dialect, limits: limits)
        }
        let key = Key(text: text, dialect: dialect, top: limits.top)
        if let query = known.withLock({ $0[key] }) { return query }
        let query = try Query(url: text, dialect: dialect, limits: limits)
        known.withLock { known in
            if known.count >= Self.limit { known.removeAll() }
            known[key] = query
        }
        return query
    }
}
