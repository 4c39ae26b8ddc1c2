public import Foundation

/// A document as it was received, and the time for which it may be cached.
public struct FetchedDocument: Sendable {
    /// The freshness of a document without `Cache-Control`.
    public static let standardFreshness: Duration = .seconds(300)
    /// The bounds of a document's freshness: long enough that not every request fetches it, and short enough that a
    /// revoked key is used for an hour at most.
    public static let freshnessRange: ClosedRange<Duration> = .seconds(5) ... .seconds(3600)

    /// The document as received.
    public let bytes: Data
    /// The time for which it may be used without fetching it again.
    public let freshness: Duration

    /// - Parameters:
    ///   - bytes: The document.
    ///   - cacheControl: The `Cache-Control` that came with it (RFC 9111 §5.2.2).
    init(_ bytes: Data, cacheControl: [String]) {
        self.bytes = bytes
        let directives = cacheControl.joined(separator: ",").lowercased().split(separator: ",")
            .map { $0.filter { !$0.isWhitespace } }
        let seconds = directives.first { $0.hasPrefix("max-age=") }.flatMap { Int64($0.dropFirst("max-age=".count)) }
        let isUncacheable = directives.contains("no-store") || directives.contains("no-cache")
        let said = isUncacheable ? .zero : seconds.map(Duration.seconds) ?? Self.standardFreshness
        freshness = min(max(said, Self.freshnessRange.lowerBound), Self.freshnessRange.upperBound)
    }
}
