public import Moments
import Origins
import Tokens

/// The signing keys of one authority, which all of its issuers share.
///
/// Issuers come from unverified tokens, so their metadata is fetched only while no keys are known or after the issuer
/// of the known keys has disappeared. It is never fetched from an authority that describes itself over a local socket.
public actor AuthorityKeys {
    /// The limits on lookups of unknown keys at an authority that is reached over the network.
    static let lookUps = LookUpShares.Limits(interval: .seconds(10), ofCaller: 1, ofAll: 10)
    /// The limits on lookups of unknown keys and issuers at a local authority that is reached over its socket.
    static let lookUpsHere = LookUpShares.Limits(interval: .seconds(1), ofCaller: 2, ofAll: 50)
    /// The delay between a failed fetch and the next one.
    public static let failureInterval: Duration = .seconds(2)
    /// The limits on fetches of an issuer's metadata while no keys are known.
    static let guesses = LookUpShares.Limits(interval: .seconds(1), ofCaller: 2, ofAll: 10)

    private static let missingLimit = 32

    private let source: AuthoritySource
    private let reader: FetchedKeysReader
    private let clock: MomentClock
    private let withdrawals = Withdrawals()

    private var ring: FetchedKeys?
    private var fetches = KeyFetches()
    private var underWay: Task<Void, Never>?
    private let known = KnownOrigins()
    private var lookUps: LookUpShares
    private var guesses = LookUpShares(AuthorityKeys.guesses)
    /// The ids of keys that the authority does not publish, which are not looked up again while the keys are fresh.
    ///
    /// This is safe because an authority must publish a key before it signs with the key.
    private var missing: [String] = []

    /// Creates a key set that is fetched when a key is first requested.
    public init(source: AuthoritySource, fetcher: KeyFetcher, clock: MomentClock) {
        self.source = source
        reader = FetchedKeysReader(source: source, fetcher: fetcher, clock: clock)
        self.clock = clock
        lookUps = LookUpShares(source.isHere ? Self.lookUpsHere : Self.lookUps)
    }

    /// The last known name of the authority, or `nil` if no name is known yet.
    public var name: AuthorityName? {
        switch source {
        case .named(let name, _): name
        case .followed: ring?.name
        }
    }

    /// Returns the policy of an issuer, or `nil` for an issuer of another authority.
    ///
    /// A lookup counts against the limit of the token's sender (`caller`). By default, all senders share one limit.
    ///
    /// - Throws: ``RemoteKeysError`` if the authority's name cannot be read, or if the limit is reached.
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

    /// Returns the issuers of these policies, or the issuer of the default policy if `policies` is `nil`.
    ///
    /// - Throws: ``RemoteKeysError`` if the authority's name cannot be read from its socket.
    public func issuers(of policies: [String]?) async throws -> [String] {
        switch source {
        case .named(let name, _): return (policies ?? [Self.standardPolicy]).map(name.issuer)
        case .followed:
            let name = try await answer(for: "", by: Self.metadata) { ring in ring.name }
            return (policies ?? [ring?.defaultPolicy ?? Self.standardPolicy]).compactMap { name?.issuer(of: $0) }
        }
    }

    /// Returns the caller's name for lookups by ``issuers(of:)``, so that these lookups have their own limit.
    private static let metadata: @Sendable () -> String = { "metadata" }

    /// The default policy if the authority does not report one.
    private static let standardPolicy = "b2c_1_sign_up_or_in"

    /// Returns the authority's key with this id, or `nil` if a lookup has shown that no such key or issuer exists.
    ///
    /// A lookup counts against the limit of the token's sender (`caller`). By default, all senders share one limit.
    ///
    /// - Throws: ``RemoteKeysError`` if the authority cannot be reached, or if the limit is reached.
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

    /// Records that a caller sent a valid token, because some lookups are reserved for callers that have sent one.
    public nonisolated func accepted(from caller: String) {
        known.add(OriginLevels(peerName: caller), at: clock.now)
    }

    /// Returns the value that `find` finds in the keys, which are fetched if necessary.
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

    /// Returns a key and how long it may be used, which for a stale key set is until the next attempt to fetch it.
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

    /// Fetches the keys through an issuer that might not exist, for only one caller at a time.
    ///
    /// The other callers wait, and then use their own issuer if the keys are still unknown.
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

    /// Fetches the keys again through the issuer that led to them or, if it no longer exists, through `issuer`.
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

    private static let gone = RemoteKeysError(.protocolViolation, "the authority's issuers no longer have metadata")
}

private struct KeyFetches {
    private(set) var begun = 0
    var failure: RemoteKeysError?
    private var triedAt: Moment?

    mutating func begin(at now: Moment) {
        begun += 1
        triedAt = now
    }

    func mayTry(at now: Moment) -> Bool {
        guard failure != nil, let triedAt else { return true }
        return triedAt.age(at: now) >= AuthorityKeys.failureInterval.milliseconds
    }
}
