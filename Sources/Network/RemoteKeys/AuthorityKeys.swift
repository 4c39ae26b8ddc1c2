public import Moments
import Origins
import Tokens

/// The signing keys of one authority, which all its issuers share.
///
/// Issuers are named by unverified tokens, so metadata is fetched by issuer only while no keys are known at all, and only
/// from an authority that does not describe itself over a socket of this machine. From then on the keys decide. A token
/// that none of them signed has them fetched again at most as often as its sender's share allows.
///
/// An actor because it owns memory that callers share: the keys and the fetch under way, of which there is one at most.
public actor AuthorityKeys {
    /// The look-ups of unknown keys at an authority that is reached over the network.
    static let lookUps = LookUpShares.Limits(interval: .seconds(10), ofCaller: 1, ofAll: 10)
    /// The look-ups of unknown keys and issuers at an authority of this machine, reached over its socket.
    static let lookUpsHere = LookUpShares.Limits(interval: .seconds(1), ofCaller: 2, ofAll: 50)
    /// The time from a failed fetch to the next one.
    public static let failureInterval: Duration = .seconds(2)
    /// The issuers that are tried while no keys are known.
    static let guesses = LookUpShares.Limits(interval: .seconds(1), ofCaller: 2, ofAll: 10)

    /// The most ids of missing keys that are remembered.
    private static let missingLimit = 32

    private let source: AuthoritySource
    private let reader: FetchedKeysReader
    private let clock: MomentClock
    private let withdrawals = Withdrawals()

    private var ring: FetchedKeys?
    private var fetches = KeyFetches()
    private var underWay: Task<Void, Never>?
    /// The origins from which accepted tokens came.
    private let known = KnownOrigins()
    private var lookUps: LookUpShares
    private var guesses = LookUpShares(AuthorityKeys.guesses)
    /// The ids of keys that the authority withdrew or did not have; a key is published before it signs, so neither will
    /// appear later.
    private var missing: [String] = []

    /// Makes the key set of an authority; nothing is fetched before the first request for a key.
    ///
    /// - Parameters:
    ///   - source: The source of its name and keys.
    ///   - fetcher: Fetches its documents.
    ///   - clock: The clock that dates keys.
    public init(source: AuthoritySource, fetcher: KeyFetcher, clock: MomentClock) {
        self.source = source
        reader = FetchedKeysReader(source: source, fetcher: fetcher, clock: clock)
        self.clock = clock
        lookUps = LookUpShares(source.isHere ? Self.lookUpsHere : Self.lookUps)
    }

    /// The authority's name; for a followed one, the name that it gave last.
    public var name: AuthorityName? {
        switch source {
        case .named(let name, _): name
        case .followed: ring?.name
        }
    }

    /// Returns the policy of an issuer, if it is this authority's.
    ///
    /// - Parameters:
    ///   - issuer: The issuer that the token names.
    ///   - caller: Names the token's sender, whose share a look-up is taken from; one for all if left out.
    /// - Returns: Nil for another authority's issuer.
    /// - Throws: ``RemoteKeysError`` if a followed authority could not be asked for its name, or the share is used up.
    public func policy(
        ofIssuer issuer: String,
        for caller: @escaping @Sendable () -> String = { "" }
    ) async throws -> String? {
        switch source {
        case .named(let name, _): return name.policy(ofIssuer: issuer)
        case .followed:
            return try await answer(for: issuer, by: caller) {
                $0.name.policy(ofIssuer: issuer)
            }
        }
    }

    /// Returns the issuers of policies, or that of the default policy if none is named.
    ///
    /// - Parameter policies: The policies, in their order.
    /// - Returns: Issuers of the authority's name of now.
    /// - Throws: ``RemoteKeysError`` if a followed authority could not be asked for its name.
    public func issuers(of policies: [String]?) async throws -> [String] {
        switch source {
        case .named(let name, _): return (policies ?? [Self.standardPolicy]).map(name.issuer)
        case .followed:
            let name = try await answer(for: "", by: Self.metadata) { ring in ring.name }
            return (policies ?? [ring?.defaultPolicy ?? Self.standardPolicy]).compactMap { name?.issuer(of: $0) }
        }
    }

    /// The share of those who ask for the issuers.
    private static let metadata: @Sendable () -> String = { "metadata" }

    /// The default policy of an authority that does not say which one is.
    private static let standardPolicy = "b2c_1_sign_up_or_in"

    /// Returns the authority's key with that id.
    ///
    /// - Parameters:
    ///   - kid: The key's id.
    ///   - issuer: The issuer that the token names.
    ///   - caller: Names the token's sender, whose share a look-up is taken from; one for all if left out.
    /// - Returns: Nil only if the authority, asked after this call, has no such key, or no such issuer.
    /// - Throws: ``RemoteKeysError`` if the authority could not be asked, or the share is used up.
    public func key(
        kid: String,
        issuer: String,
        for caller: @escaping @Sendable () -> String = { "" }
    ) async throws -> PublishedKey? {
        if missing.contains(kid), let ring, !isStale(at: clock.now), ring.keys.set.key(kid: kid) == nil { return nil }
        let found = try await answer(for: issuer, by: caller) { ring in
            ring.keys.set.key(kid: kid).map { published($0, ring) }
        }
        if found == nil { missing = Array((missing + [kid]).suffix(Self.missingLimit)) }
        return found
    }

    /// Notes that a token was accepted that came from a caller, for whom a part of the look-ups is reserved.
    public nonisolated func accepted(from caller: String) {
        known.add(OriginLevels(peerName: caller), at: clock.now)
    }

    /// Looks up a value in the known keys, and once more after a fetch.
    private func answer<Value: Sendable>(
        for issuer: String,
        by caller: @Sendable () -> String,
        _ find: (FetchedKeys) -> Value?
    ) async throws -> Value? {
        let before = fetches.begun
        if ring == nil {
            try await findRing(by: issuer, for: caller)
        } else if isStale(at: clock.now) {
            await refresh(orBy: issuer)
        } else if let underWay, ring.flatMap(find) == nil {
            await underWay.value
        }
        guard let ring else { return nil }
        if let value = find(ring) { return value }
        if fetches.begun == before {
            if let failure = fetches.failure, !fetches.mayTry(at: clock.now) { throw failure }
            try lookUps.take(for: caller, known: known, at: clock.now)
            await refresh(orBy: issuer)
            if let value = self.ring.flatMap(find) { return value }
        }
        if let failure = fetches.failure { throw failure }
        return nil
    }

    /// Makes the published key of a ring; if the ring is stale, its keys stay valid until the next attempt to fetch.
    private func published(_ key: VerificationKey, _ ring: FetchedKeys) -> PublishedKey {
        let now = clock.now
        let end =
            ring.isFresh(at: now)
            ? Deadline(ring.keys.freshness, after: ring.fetchedAt) : Deadline(Self.failureInterval, after: now)
        return PublishedKey(key, freshUntil: end, withdrawals)
    }

    private func isStale(at now: Moment) -> Bool {
        guard let ring else { return true }
        return !ring.isFresh(at: now) && fetches.mayTry(at: now)
    }

    /// Fetches the keys by an issuer that may not exist, for one caller after the other until one finds the keys.
    private func findRing(by issuer: String, for caller: @Sendable () -> String) async throws(RemoteKeysError) {
        while ring == nil {
            if let failure = fetches.failure, !fetches.mayTry(at: clock.now) { throw failure }
            if let underWay {
                await underWay.value
                continue
            }
            switch source {
            case .named: try guesses.take(for: caller, known: known, at: clock.now)
            case .followed: break
            }
            await fetch(by: [issuer])
            if let failure = fetches.failure { throw failure }
            return
        }
    }

    /// Fetches the keys again by the issuer that led to them, and by `issuer` if that one is gone.
    private func refresh(orBy issuer: String) async {
        if let underWay { return await underWay.value }
        let proven = ring?.issuer ?? issuer
        await fetch(by: proven == issuer ? [issuer] : [proven, issuer])
    }

    private func fetch(by issuers: [String]) async {
        fetches.begin(at: clock.now)
        let task = Task {
            defer { underWay = nil }
            do {
                let found = try await reader.keys(by: issuers)
                if let found { take(found) }
                fetches.failure = found != nil || ring == nil ? nil : Self.gone
            } catch {
                fetches.failure = error as? RemoteKeysError ?? RemoteKeysError(.unreachable, "\(error)")
            }
        }
        underWay = task
        await task.value
    }

    private func take(_ new: FetchedKeys) {
        let gone = ring.map { new.missing(of: $0) } ?? []
        if !gone.isEmpty || ring.map({ $0.name != new.name }) ?? false {
            withdrawals.add()
            missing = Array((missing + gone).suffix(Self.missingLimit))
        }
        ring = new
    }

    private static let gone = RemoteKeysError(.protocolViolation, "the authority's issuers have no metadata any more")
}

/// The fetches of an authority's keys so far.
private struct KeyFetches {
    /// The number of fetches that were begun.
    private(set) var begun = 0
    /// The error of the last fetch; nil if it found the keys.
    var failure: RemoteKeysError?
    private var triedAt: Moment?

    /// Notes that a fetch begins.
    mutating func begin(at now: Moment) {
        begun += 1
        triedAt = now
    }

    /// Returns true if the last fetch has not failed, or long enough ago for the next one.
    func mayTry(at now: Moment) -> Bool {
        guard failure != nil, let triedAt else { return true }
        return triedAt.age(at: now) >= AuthorityKeys.failureInterval.milliseconds
    }
}
