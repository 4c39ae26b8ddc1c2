import Moments
import Tokens

/// An authority's keys, as of the last fetch.
struct FetchedKeys: Sendable {
    let name: AuthorityName
    /// The issuer whose metadata led to the keys, or `nil` if the authority described itself.
    let issuer: String?
    let keys: IssuerDocuments.Keys
    /// The default policy for sign-in, or `nil` if the authority reports none.
    var defaultPolicy: String?
    let fetchedAt: Moment

    /// Whether the keys may be used without fetching them again.
    func isFresh(at now: Moment) -> Bool { fetchedAt.age(at: now) < keys.freshness.milliseconds }

    /// Returns the key ids in `old` that no longer exist or that now identify different keys.
    func missing(of old: Self) -> [String] {
        old.keys.set.keys.filter { keys.set.key(kid: $0.kid) != $0 }.map(\.kid)
    }
}

/// Reads an authority's keys.
struct FetchedKeysReader: Sendable {
    let source: AuthoritySource
    let fetcher: KeyFetcher
    let clock: MomentClock

    /// Fetches the keys from the authority's own description, or through its issuers.
    ///
    /// - Parameter issuers: The issuers to try in order, unless the authority describes itself.
    /// - Returns: The keys, or `nil` if the authority has none of the issuers.
    /// - Throws: ``RemoteKeysError``.
    func keys(by issuers: [String]) async throws -> FetchedKeys? {
        switch source {
        case .named(let name, let origin):
            if let keys = try await described(name, at: origin) {
                return FetchedKeys(name: name, issuer: nil, keys: keys, fetchedAt: clock.now)
            }
            let documents = IssuerDocuments(origin: origin, fetcher: fetcher)
            for issuer in issuers {
                guard let keys = try await documents.keys(of: issuer) else { continue }
                return FetchedKeys(name: name, issuer: issuer, keys: keys, fetchedAt: clock.now)
            }
            return nil
        case .followed(let sockets):
            let found = try await FollowedDocument(sockets: sockets, fetcher: fetcher).read()
            return FetchedKeys(
                name: found.name,
                issuer: nil,
                keys: found.keys,
                defaultPolicy: found.defaultPolicy,
                fetchedAt: clock.now
            )
        }
    }

    /// Fetches the keys from a local authority's description, or returns `nil` if the authority has no description or
    /// the description contains a different name.
    private func described(_ name: AuthorityName, at origin: KeyOrigin) async throws -> IssuerDocuments.Keys? {
        guard case .unixSocket(let path) = origin,
            let described = try await FollowedDocument.description(at: path, by: fetcher),
            described.name == name
        else { return nil }
        return described.keys
    }
}

extension Moment {
    /// Returns the age in milliseconds, according to the boot clock, which cannot be set.
    ///
    /// For a time before the last boot, the age is `Int64.max`.
    func age(at now: Moment) -> Int64 { bootID == now.bootID ? now.boot - boot : .max }
}
