/// The `Retry-After` field of every 429 and 503 (RFC 9110 §10.2.3).
enum RetryAfter {
    /// The seconds after a fault whose end nobody knows.
    private static let unknown = 5

    /// The seconds to wait: never less than what is left, and never none.
    static func seconds(_ milliseconds: Int64?) -> Int {
        milliseconds.map { Int(max(1, ($0 + 999) / 1000)) } ?? unknown
    }
}
