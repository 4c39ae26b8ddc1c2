import OAuth

/// The issuers for signing in with external providers, read from the authority at each call.
public struct SignInIssuers: Sendable {
    private let source: AuthoritySource
    private let policies: [String]?
    private let fetcher: KeyFetcher

    /// Creates a reader for one authority.
    ///
    /// - Parameters:
    ///   - source: The authority.
    ///   - policies: The policies whose tokens are accepted, or `nil` for all.
    ///   - fetcher: Fetches the authority's description.
    public init(source: AuthoritySource, policies: [String]?, fetcher: KeyFetcher) {
        self.source = source
        self.policies = policies
        self.fetcher = fetcher
    }

    /// Returns the authority's socket, or `nil` for an authority that is reached over the network.
    ///
    /// - Throws: ``RemoteKeysError`` if no socket exists, or its server is not trusted.
    public func socket() throws -> String? {
        switch source {
        case .named(_, .web): return nil
        case .named(_, .unixSocket(let path)): return path
        case .followed(let sockets): return try FollowedDocument.socket(of: sockets).path
        }
    }

    /// Returns the issuer for signing in with a provider.
    ///
    /// An authority that is reached over the network does not report such issuers. For such an authority, the issuer of
    /// the first accepted policy is returned, and the caller adds a hint for the provider.
    ///
    /// - Parameter provider: The provider's name in lower case.
    /// - Returns: The issuer, or `nil` if no accepted policy signs in with the provider.
    /// - Throws: ``RemoteKeysError``.
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
