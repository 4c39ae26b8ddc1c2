public import Foundation

/// A document as it came, and how long the sender lets it be used.
public struct FetchedDocument: Sendable {
    /// The freshness of a document whose sender says nothing.
    public static let standardFreshness: Duration = .seconds(300)
    /// The least and the most that a sender may say: not so little that every request asks, and no key for longer than an
    /// hour after it was revoked.
    public static let freshnessRange: ClosedRange<Duration> = .seconds(5) ... .seconds(3600)

    /// The document.
    public let bytes: Data
    /// How long it may be used without asking again.
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
