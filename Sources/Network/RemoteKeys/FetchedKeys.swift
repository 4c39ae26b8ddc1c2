import Moments
import Tokens

/// The keys of an authority as they were fetched last.
struct FetchedKeys: Sendable {
    let name: AuthorityName
    /// The issuer by which the keys were found; nil if the authority described itself.
    let issuer: String?
    let keys: IssuerDocuments.Keys
    /// The policy at which a person signs in who was sent to none, if the authority said so.
    var defaultPolicy: String?
    let fetchedAt: Moment

    /// Returns true while the keys may be used without fetching them again.
    func isFresh(at now: Moment) -> Bool { fetchedAt.age(at: now) < keys.freshness.milliseconds }

    /// Returns the ids of the older keys that are gone, or stand for other keys now.
    func missing(of old: Self) -> [String] {
        old.keys.set.keys.filter { keys.set.key(kid: $0.kid) != $0 }.map(\.kid)
    }
}

/// The reader of the keys of an authority.
struct FetchedKeysReader: Sendable {
    let source: AuthoritySource
    let fetcher: KeyFetcher
    let clock: MomentClock

    /// Fetches the keys that an authority names itself, or that its issuers name.
    ///
    /// - Parameter issuers: The issuers that are asked one after the other, unless the authority describes itself.
    /// - Returns: Nil if the authority has none of the issuers.
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

    /// Fetches the keys that an authority of this machine has in its description of itself; nil if it has none, or not
    /// of that name.
    private func described(_ name: AuthorityName, at origin: KeyOrigin) async throws -> IssuerDocuments.Keys? {
        guard case .unixSocket(let path) = origin,
            let described = try await FollowedDocument.description(at: path, by: fetcher),
            described.name == name
        else { return nil }
        return described.keys
    }
}

extension Moment {
    /// Returns the age by the boot clock, which cannot be set, in milliseconds; a moment of another boot counts as old.
    func age(at now: Moment) -> Int64 { bootID == now.bootID ? now.boot - boot : .max }
}
