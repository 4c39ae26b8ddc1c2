public import Moments
import OAuth

/// The scopes in an issuer's metadata (RFC 8414 §2), cached for a few seconds.
public actor IssuerScopes {
    /// How long a response or failure is cached.
    static let interval: Duration = .seconds(10)

    private typealias Answer = Result<[String]?, RemoteKeysError>

    private let source: AuthoritySource
    private let fetcher: KeyFetcher
    private let clock: MomentClock
    private var last: (issuer: String, answer: Answer, until: Deadline)?
    private var underWay: (issuer: String, task: Task<Answer, Never>)?

    /// Creates an empty cache for one authority.
    public init(source: AuthoritySource, fetcher: KeyFetcher, clock: MomentClock) {
        self.source = source
        self.fetcher = fetcher
        self.clock = clock
    }

    /// Returns the scopes in an issuer's metadata, or `nil` if the issuer does not exist or lists no scopes.
    ///
    /// - Throws: ``RemoteKeysError`` if the metadata cannot be fetched or read.
    public func scopes(of issuer: String) async throws -> [String]? {
        if let last, last.issuer == issuer, !last.until.hasPassed(at: clock.now) { return try last.answer.get() }
        if let underWay, underWay.issuer == issuer { return try await underWay.task.value.get() }
        let task = Task { await fetched(issuer) }
        underWay = (issuer, task)
        let answer = await task.value
        if underWay?.issuer == issuer { underWay = nil }
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

    private func origin() throws -> KeyOrigin {
        switch source {
        case .named(_, let origin): return origin
        case .followed(let sockets): return .unixSocket(path: try FollowedDocument.socket(of: sockets).path)
        }
    }
}
