public import Moments

extension KeyRing {
    /// How long a key signs tokens before another key replaces it.
    private static let rotateAfter: Duration = .seconds(90 * 86_400)
    /// How long a key is published before it first signs a token, so that other parties can update their caches.
    private static let publishAhead: Duration = .seconds(86_400)
    /// How long a retired or revoked key stays in the ring, equal to the maximum lifetime of a token.
    static let retiredFor: Duration = .seconds(86_400)

    /// A change to a key ring.
    public enum Action: Sendable, Hashable {
        /// Generate and publish a key, which signs immediately if `activate` is `true`.
        case generate(SigningAlgorithm, activate: Bool)
        case promote(kid: String)
        case retire(kid: String)
        /// Revoke a key, which invalidates all of its signatures.
        case revoke(kid: String)
        case remove(kid: String)
    }

    /// Returns the actions that are due at `now`.
    ///
    /// The actions must be applied in the returned order and in one transaction. Due times are wall-clock times,
    /// because stored keys outlive reboots.
    public static func schedule(_ ring: KeyRing, algorithms: [SigningAlgorithm], now: Moment) -> [Action] {
        var actions = algorithms.flatMap { ring.due($0, now.wall) }
        for entry in ring.entries {
            if let removeAt = entry.removeAt, now.wall >= removeAt { actions.append(.remove(kid: entry.kid)) }
        }
        return actions
    }

    /// Returns the actions that replace the active key for `alg` with the published key or a new key.
    public func rotation(of alg: SigningAlgorithm) -> [Action] {
        let retired = entries.filter { $0.alg == alg && $0.state == .active }.map { Action.retire(kid: $0.kid) }
        return retired + [next(alg).map { .promote(kid: $0.kid) } ?? .generate(alg, activate: true)]
    }

    /// Returns the actions that revoke and, if necessary, replace a key, or none if it is unknown or already revoked.
    public func revocation(of kid: String) -> [Action] {
        guard let entry = entry(kid), entry.state != .revoked else { return [] }
        guard entry.state == .active else { return [.revoke(kid: kid)] }
        return [
            .revoke(kid: kid), next(entry.alg).map { .promote(kid: $0.kid) } ?? .generate(entry.alg, activate: true),
        ]
    }

    private func due(_ alg: SigningAlgorithm, _ now: Int64) -> [Action] {
        let next = next(alg)
        guard let active = entries.first(where: { $0.alg == alg && $0.state == .active }) else {
            return [next.map { .promote(kid: $0.kid) } ?? .generate(alg, activate: true)]
        }
        let ends = (active.activeFrom ?? active.publishedAt) + Self.rotateAfter.milliseconds
        guard let next else {
            return now >= ends - Self.publishAhead.milliseconds ? [.generate(alg, activate: false)] : []
        }
        guard now >= ends, now >= next.publishedAt + Self.publishAhead.milliseconds else { return [] }
        return [.retire(kid: active.kid), .promote(kid: next.kid)]
    }

    private func next(_ alg: SigningAlgorithm) -> Entry? {
        entries.first { $0.alg == alg && $0.state == .published && $0.key != nil }
    }
}
