/// The intervals of signing key rotation.
public struct KeyPolicy: Sendable, Hashable {
    /// The time for which a key signs.
    public let rotateAfter: Duration
    /// The time from a key's publication to its first signature, so that caches of keys have it in time.
    public let publishAhead: Duration
    /// The time for which a key stays published after its last signature: the longest lifetime of a token.
    public let retiredFor: Duration

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - rotateAfter: The time for which a key signs; longer than `publishAhead`.
    ///   - publishAhead: The time from a key's publication to its first signature.
    ///   - retiredFor: The time for which a key stays published after its last signature.
    public init(
        rotateAfter: Duration = .seconds(90 * 86_400),
        publishAhead: Duration = .seconds(86_400),
        retiredFor: Duration = .seconds(86_400)
    ) {
        precondition(rotateAfter > publishAhead, "a key must sign for longer than it is published before")
        self.rotateAfter = rotateAfter
        self.publishAhead = publishAhead
        self.retiredFor = retiredFor
    }
}
