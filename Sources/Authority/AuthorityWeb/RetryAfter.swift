/// The `Retry-After` field of every 429 and 503 response (RFC 9110 §10.2.3).
enum RetryAfter {
    /// The number of seconds to wait if it is not known when a request can succeed.
    private static let unknown = 5

    /// Converts milliseconds to seconds, rounded up and at least 1, or returns a default for `nil`.
    static func seconds(_ milliseconds: Int64?) -> Int {
        milliseconds.map { Int(max(1, ($0 + 999) / 1000)) } ?? unknown
    }
}
