public import Moments
import OAuth

/// The scopes in an issuer's metadata (RFC 8414 §2), cached for a few seconds.
///
/// It is an actor because callers share its state: the last response, and at most one running fetch.
public actor IssuerScopes {
    /// How long a response or a failure is cached.
    static let interval: Duration = .seconds(10)

    private typealias Answer = Result<[String]?, RemoteKeysError>

    private let source: AuthoritySource
    private let fetcher: KeyFetcher
    private let clock: MomentClock
    private var last: (issuer: String, answer: Answer, until: Deadline)?
    private var underWay: (issuer: String, task: Task<Answer, Never>)?

    /// Creates the cache for one authority.
    ///
    /// It fetches nothing before the first request.
    ///
    /// - Parameters:
    ///   - source: The authority.
    ///   - fetcher: Fetches the authority's documents.
    ///   - clock: The clock for the age of responses.
    public init(source: AuthoritySource, fetcher: KeyFetcher, clock: MomentClock) {
        self.source = source
        self.fetcher = fetcher
        self.clock = clock
    }

    /// Returns the scopes of an issuer, spelled as in its metadata.
    ///
    /// - Parameter issuer: One of the authority's issuers.
    /// - Returns: The scopes, or `nil` if the issuer lists none or does not exist.
    /// - Throws: ``RemoteKeysError`` if the authority cannot be reached.
    public func scopes(of issuer: String) async throws -> [String]? {
        if let last, last.issuer == issuer, !last.until.hasPassed(at: clock.now) { return try last.answer.get() }
        if let underWay, underWay.issuer == issuer { return try await underWay.task.value.get() }
        let task = Task { await fetched(issuer) }
        underWay = (issuer, task)
        let answer = await task.value
        underWay = nil
        last = (issuer, answer, Deadline(Self.interval, after: clock.now))
        return try answer.get()
    }

    private func fetched(_ issuer: String) async -> Answer {
        do {
            let metadata = try await IssuerDocuments(origin: origin(), fetcher: fetcher).metadata(of: issuer)
            let scopes = metadata?.scopes ?? []
            return .success(scopes.isEmpty ? nil : scopes)
        } catch {
            return .failure(error as? RemoteKeysError ?? RemoteKeysError(.unreachable, "\(error)"))
        }
    }

    /// Returns where to fetch the authority's documents.
    private func origin() throws -> KeyOrigin {
        switch source {
        case .named(_, let origin): return origin
        case .followed(let sockets): return .unixSocket(path: try FollowedDocument.socket(of: sockets).path)
        }
    }
}
