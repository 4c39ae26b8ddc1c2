public import Moments
import OAuth

/// The scopes that an issuer grants, as its metadata name them (RFC 8414 §2), remembered for some seconds.
///
/// An actor because it owns memory that callers share: the last answer, and the fetch under way, of which there is one at
/// most.
public actor IssuerScopes {
    /// The time for which an answer is believed, and a failure not asked about again.
    static let interval: Duration = .seconds(10)

    private typealias Answer = Result<[String]?, RemoteKeysError>

    private let source: AuthoritySource
    private let fetcher: KeyFetcher
    private let clock: MomentClock
    private var last: (issuer: String, answer: Answer, until: Deadline)?
    private var underWay: (issuer: String, task: Task<Answer, Never>)?

    /// Makes the memory for one authority; nothing is fetched before the first question.
    ///
    /// - Parameters:
    ///   - source: The authority.
    ///   - fetcher: Fetches its documents.
    ///   - clock: The clock that dates answers.
    public init(source: AuthoritySource, fetcher: KeyFetcher, clock: MomentClock) {
        self.source = source
        self.fetcher = fetcher
        self.clock = clock
    }

    /// Returns the scopes that an issuer grants, as its metadata spell them.
    ///
    /// - Parameter issuer: The issuer, one of the authority's.
    /// - Returns: Nil if it names none, or there is no such issuer.
    /// - Throws: ``RemoteKeysError`` if the authority cannot be asked.
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

    /// The place of the authority's documents.
    private func origin() throws -> KeyOrigin {
        switch source {
        case .named(_, let origin): return origin
        case .followed(let sockets): return .unixSocket(path: try FollowedDocument.socket(of: sockets).path)
        }
    }
}
