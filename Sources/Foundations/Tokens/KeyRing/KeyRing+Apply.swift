public import Moments

extension KeyRing {
    /// Applies actions to the ring, generating keys with `generate`, and ignores actions whose keys are unknown.
    ///
    /// - Throws: Any error that `generate` throws, in which case the ring is unchanged.
    public mutating func apply(
        _ actions: [Action],
        now: Moment,
        generate: (SigningAlgorithm) throws(TokenError) -> SigningKey = SigningKey.generate
    ) throws(TokenError) {
        var changed = self
        for action in actions { try changed.apply(action, now.wall, generate) }
        self = changed
    }

    private mutating func apply(
        _ action: Action,
        _ now: Int64,
        _ generate: (SigningAlgorithm) throws(TokenError) -> SigningKey
    ) throws(TokenError) {
        switch action {
        case .generate(let alg, let activate):
            let state: Entry.State = activate ? .active : .published
            entries.append(
                Entry(key: try generate(alg), state: state, publishedAt: now, activeFrom: activate ? now : nil)
            )
        case .promote(let kid):
            change(kid) {
                $0.state = .active
                $0.activeFrom = now
            }
        case .retire(let kid):
            change(kid) {
                $0.state = .retired
                $0.retiredAt = now
                $0.removeAt = now + Self.retiredFor.milliseconds
            }
        case .revoke(let kid):
            change(kid) {
                $0.state = .revoked
                $0.retiredAt = $0.retiredAt ?? now
                $0.removeAt = now + Self.retiredFor.milliseconds
            }
        case .remove(let kid): entries.removeAll { $0.kid == kid }
        }
    }

    private mutating func change(_ kid: String, _ change: (inout Entry) -> Void) {
        guard let index = entries.firstIndex(where: { $0.kid == kid }) else { return }
        change(&entries[index])
    }
}
