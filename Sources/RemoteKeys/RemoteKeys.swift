import Foundation
public import Moments
import OAuth
public import Tokens

/// The public keys of one issuer, found by its metadata and kept until they change.
///
/// An actor because it owns memory that callers share: the keys and the fetch under way, of which there is one at most.
public actor RemoteKeys {
    /// A key that is not known is looked for again at most this often.
    public static let unknownKeyInterval: Duration = .seconds(60)
    /// Keys older than this are fetched again, so that one that was revoked is not believed for ever.
    public static let freshness: Duration = .seconds(3600)
    /// After a fetch that failed the next one waits this long.
    public static let failureInterval: Duration = .seconds(2)

    /// The issuer, as `iss` of its tokens says.
    public nonisolated let issuer: String
    private let address: WebAddress?
    private let origin: KeyOrigin
    private let fetcher: KeyFetcher
    private let clock: MomentClock

    private var keys: JWKSet?
    private var fetchedAt: Moment?
    private var triedAt: Moment?
    private var failure: RemoteKeysError?
    private var underWay: Task<Void, Never>?
    private let withdrawals = Withdrawals()

    /// The keys of `issuer`; nothing is fetched before a key is asked for.
    ///
    /// - Parameters:
    ///   - issuer: The issuer's URL.
    ///   - origin: Where its documents are fetched.
    ///   - fetcher: Fetches them.
    ///   - clock: Tells how old keys are.
    public init(issuer: String, origin: KeyOrigin, fetcher: KeyFetcher, clock: MomentClock) {
        self.issuer = issuer
        self.origin = origin
        self.fetcher = fetcher
        self.clock = clock
        address = WebAddress(issuer)
    }

    /// The key of that name, or nil if the issuer has none.
    ///
    /// - Throws: ``RemoteKeysError`` if the key is not among those known and the issuer could not be asked.
    public func key(kid: String) async throws -> VerificationKey? {
        try await published(kid: kid)?.key
    }

    /// The key of that name with how long it may be believed, or nil if the issuer has none.
    ///
    /// - Throws: As ``key(kid:)``.
    public func published(kid: String) async throws -> PublishedKey? {
        if isStale(at: clock.now) {
            await fetch()
        } else if let underWay, keys?.key(kid: kid) == nil {
            await underWay.value
        }
        if let key = found(kid) { return key }
        if mayLookAgain(at: clock.now) { await fetch() }
        if let key = found(kid) { return key }
        if let failure { throw failure }
        return nil
    }

    /// Where the issuer cannot be asked, what is known stands until the next attempt.
    private func found(_ kid: String) -> PublishedKey? {
        guard let key = keys?.key(kid: kid), let fetchedAt else { return nil }
        let now = clock.now
        let end = Deadline(Self.freshness, after: fetchedAt)
        let isFresh = age(of: fetchedAt, at: now) < Self.freshness.milliseconds
        return PublishedKey(key, freshUntil: isFresh ? end : Deadline(Self.failureInterval, after: now), withdrawals)
    }

    private func isStale(at now: Moment) -> Bool {
        guard let fetchedAt else { return mayTry(at: now) }
        return age(of: fetchedAt, at: now) >= Self.freshness.milliseconds && mayTry(at: now)
    }

    private func mayLookAgain(at now: Moment) -> Bool {
        guard keys != nil else { return mayTry(at: now) }
        guard let triedAt else { return true }
        return age(of: triedAt, at: now) >= Self.unknownKeyInterval.milliseconds
    }

    private func mayTry(at now: Moment) -> Bool {
        guard failure != nil, let triedAt else { return triedAt == nil || fetchedAt != nil }
        return age(of: triedAt, at: now) >= Self.failureInterval.milliseconds
    }

    /// By the clock that nobody can set; another boot's time says nothing, so what it dated is old.
    private func age(of then: Moment, at now: Moment) -> Int64 {
        then.bootID == now.bootID ? now.boot - then.boot : .max
    }

    /// Fetches once, however many callers wait.
    private func fetch() async {
        if let underWay { return await underWay.value }
        triedAt = clock.now
        let task = Task {
            defer { underWay = nil }
            do {
                let new = try await fetched()
                if let keys, keys.keys.contains(where: { new.key(kid: $0.kid) != $0 }) { withdrawals.add() }
                keys = new
                fetchedAt = clock.now
                failure = nil
            } catch {
                failure = error as? RemoteKeysError ?? RemoteKeysError(.unreachable, "\(error)")
            }
        }
        underWay = task
        await task.value
    }

    private func fetched() async throws -> JWKSet {
        guard let address else { throw RemoteKeysError(.protocolViolation, "\(issuer) is no address") }
        let metadata = try await metadata(address)
        guard metadata.issuer == issuer else {
            throw RemoteKeysError(.protocolViolation, "the metadata of \(issuer) is another issuer's")
        }
        guard let place = metadata.jwksURI.flatMap(WebAddress.init), place.origin == address.origin else {
            throw RemoteKeysError(.protocolViolation, "the keys of \(issuer) are at another origin")
        }
        guard let document = try await fetcher.document(path: place.path, host: place.authority, from: origin) else {
            throw RemoteKeysError(.protocolViolation, "\(issuer) has no keys where it says")
        }
        do {
            return try JWKSet.parse(document)
        } catch {
            throw RemoteKeysError(.protocolViolation, "the keys of \(issuer) cannot be read: \(error)")
        }
    }

    /// By RFC 8414 §3.1, and where an issuer does not know that, by OpenID Connect Discovery §4.
    private func metadata(_ address: WebAddress) async throws -> ServerMetadata {
        let path = address.path.hasSuffix("/") ? String(address.path.dropLast()) : address.path
        let places = ["/.well-known/oauth-authorization-server" + path, path + "/.well-known/openid-configuration"]
        for place in places {
            guard let document = try await fetcher.document(path: place, host: address.authority, from: origin) else {
                continue
            }
            do {
                return try ServerMetadata(json: StrictJSON.parse(document))
            } catch {
                throw RemoteKeysError(.protocolViolation, "the metadata of \(issuer) cannot be read: \(error)")
            }
        }
        throw RemoteKeysError(.protocolViolation, "\(issuer) has no metadata")
    }
}
