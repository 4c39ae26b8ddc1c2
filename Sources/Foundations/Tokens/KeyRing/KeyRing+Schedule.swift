public import Moments

extension KeyRing {
    /// The time for which a key signs.
    private static let rotateAfter: Duration = .seconds(90 * 86_400)
    /// The time from a key's publication to its first signature, so that caches of keys have it in time.
    private static let publishAhead: Duration = .seconds(86_400)
    /// The time for which a key stays published after its last signature: the longest lifetime of a token.
    static let retiredFor: Duration = .seconds(86_400)

    /// One change of a ring.
    public enum Action: Sendable, Hashable {
        /// Make a key and publish it; `activate` if it must sign at once, since nothing else can.
        case generate(SigningAlgorithm, activate: Bool)
        /// Let a published key sign.
        case promote(kid: String)
        /// Let a key sign no more.
        case retire(kid: String)
        /// Believe nothing a key signed.
        case revoke(kid: String)
        /// Forget a key.
        case remove(kid: String)
    }

    /// Returns the actions that are due at `now`, to be done in this order and in one transaction.
    ///
    /// - Parameters:
    ///   - ring: The existing keys.
    ///   - algorithms: The algorithms that must be able to sign.
    ///   - now: The current time; only the wall clock counts, since rows outlive boots.
    /// - Returns: The actions in their order; empty if nothing is due.
    public static func schedule(_ ring: KeyRing, algorithms: [SigningAlgorithm], now: Moment) -> [Action] {
        var actions = algorithms.flatMap { ring.due($0, now.wall) }
        for entry in ring.entries {
            if let removeAt = entry.removeAt, now.wall >= removeAt { actions.append(.remove(kid: entry.kid)) }
        }
        return actions
    }

    /// Returns the actions of an operator's rotation of `alg`: the published key signs, or a new one if there is none.
    ///
    /// - Parameter alg: The algorithm.
    /// - Returns: The actions in their order.
    public func rotation(of alg: SigningAlgorithm) -> [Action] {
        let retired = entries.filter { $0.alg == alg && $0.state == .active }.map { Action.retire(kid: $0.kid) }
        return retired + [next(alg).map { .promote(kid: $0.kid) } ?? .generate(alg, activate: true)]
    }

    /// Returns the actions of an operator's revocation of a key: if it was the one that signs, another takes its place.
    ///
    /// - Parameter kid: The key.
    /// - Returns: The actions in their order; none if there is no such key or it is revoked already.
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
