import OAuth

/// The issuers at which people sign in with providers outside, as the authority names them at each question.
public struct SignInIssuers: Sendable {
    private let source: AuthoritySource
    private let policies: [String]?
    private let fetcher: KeyFetcher

    /// Asks one authority.
    ///
    /// - Parameters:
    ///   - source: The authority.
    ///   - policies: The policies whose tokens are accepted; nil for all of them.
    ///   - fetcher: Fetches its description.
    public init(source: AuthoritySource, policies: [String]?, fetcher: KeyFetcher) {
        self.source = source
        self.policies = policies
        self.fetcher = fetcher
    }

    /// The socket at which the authority is asked; nil for one that is reached over the network.
    ///
    /// - Throws: ``RemoteKeysError`` if there is none, or who listens there is not trusted.
    public func socket() throws -> String? {
        switch source {
        case .named(_, .web): return nil
        case .named(_, .unixSocket(let path)): return path
        case .followed(let sockets): return try FollowedDocument.socket(of: sockets).path
        }
    }

    /// Returns the issuer at which people sign in with a provider.
    ///
    /// An authority over the network does not say it: its first accepted policy is asked, by a hint of the provider.
    ///
    /// - Parameter provider: The provider's name in lower case.
    /// - Returns: Nil if there is none whose tokens are accepted.
    /// - Throws: ``RemoteKeysError``.
    public func issuer(of provider: String) async throws -> String? {
        guard let socket = try socket() else {
            guard case .named(let name, _) = source, let policy = policies?.first else { return nil }
            return name.issuer(of: policy)
        }
        guard let found = try await FollowedDocument.description(at: socket, by: fetcher) else {
            throw RemoteKeysError(.protocolViolation, "\(socket) does not say which authority it is")
        }
        guard let policy = found.providers[provider], policies?.contains(policy) ?? true else { return nil }
        return found.name.issuer(of: policy)
    }
}
