import Synchronization
import Tables

/// Remembers what the addresses of lists mean: programs ask the same few lists over and over.
final class ParsedQueries: Sendable {
    /// Most addresses that are remembered; a new one after that makes room for all.
    static let limit = 256
    /// Bytes of the longest address that is remembered.
    static let maxLength = 1024

    private struct Key: Hashable {
        let text: String
        let dialect: Query.Dialect
        let top: Int
    }

    private let known = Mutex<[Key: Query]>([:])

    /// The query that stands after an address's `?`.
    ///
    /// - Throws: `QueryProblem` that names what is wrong.
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
