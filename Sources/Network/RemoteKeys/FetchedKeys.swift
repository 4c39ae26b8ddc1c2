import Moments
import Tokens

struct FetchedKeys: Sendable {
    let name: AuthorityName
    /// The issuer whose metadata led to the keys, or `nil` if the authority described itself.
    let issuer: String?
    let keys: IssuerDocuments.Keys
    var defaultPolicy: String?
    let fetchedAt: Moment

    func isFresh(at now: Moment) -> Bool { fetchedAt.age(at: now) < keys.freshness.milliseconds }

    /// Returns the key ids in `old` that no longer exist or that now identify different keys.
    func missing(of old: Self) -> [String] {
        old.keys.set.keys.filter { keys.set.key(kid: $0.kid) != $0 }.map(\.kid)
    }
}

struct FetchedKeysReader: Sendable {
    let source: AuthoritySource
    let fetcher: KeyFetcher
    let clock: MomentClock

    /// Fetches the keys from the authority or through the first existing issuer, or returns `nil` if none exists.
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

    /// Fetches a local authority's keys, or returns `nil` if `origin` serves no authority with this name.
    private func described(_ name: AuthorityName, at origin: KeyOrigin) async throws -> IssuerDocuments.Keys? {
        guard case .unixSocket(let path) = origin,
            let described = try await FollowedDocument.description(at: path, by: fetcher),
            described.name == name
        else { return nil }
        return described.keys
    }
}

extension Moment {
    /// Returns the milliseconds since this moment by the boot clock, or `Int64.max` if it was before a reboot.
    func age(at now: Moment) -> Int64 { bootID == now.bootID ? now.boot - boot : .max }
}
