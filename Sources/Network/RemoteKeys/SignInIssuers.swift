import OAuth

/// Finds the issuers through which users sign in with external providers, without caching them.
public struct SignInIssuers: Sendable {
    private let source: AuthoritySource
    private let policies: [String]?
    private let fetcher: KeyFetcher

    /// Creates a reader that returns only issuers of `policies`, or of any policy if `policies` is `nil`.
    public init(source: AuthoritySource, policies: [String]?, fetcher: KeyFetcher) {
        self.source = source
        self.policies = policies
        self.fetcher = fetcher
    }

    /// Returns the authority's socket, or `nil` for an authority that is reached over the network.
    ///
    /// - Throws: ``RemoteKeysError`` if no socket exists, or if an untrusted user is listening on it.
    public func socket() throws -> String? {
        switch source {
        case .named(_, .web): return nil
        case .named(_, .unixSocket(let path)): return path
        case .followed(let sockets): return try FollowedDocument.socket(of: sockets).path
        }
    }

    /// Returns the issuer for a provider in lower case, or `nil` if no accepted policy uses the provider.
    ///
    /// An authority on the network does not report this. The result is then the issuer of the first accepted policy,
    /// and the caller adds a hint that names the provider.
    public func issuer(of provider: String) async throws -> String? {
        guard let socket = try socket() else {
            guard case .named(let name, _) = source, let policy = policies?.first else { return nil }
            return name.issuer(of: policy)
        }
        guard let found = try await FollowedDocument.description(at: socket, by: fetcher) else {
            throw RemoteKeysError(.protocolViolation, "\(socket) has no description of its authority")
        }
        guard let policy = found.providers[provider], policies?.contains(policy) ?? true else { return nil }
        return found.name.issuer(of: policy)
    }
}
