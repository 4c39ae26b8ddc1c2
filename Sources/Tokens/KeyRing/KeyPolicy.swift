/// When signing keys change.
public struct KeyPolicy: Sendable, Hashable {
    /// How long a key signs.
    public let rotateAfter: Duration
    /// How long before its first signature a key is published, so that whoever caches keys has it in time.
    public let publishAhead: Duration
    /// How long after its last signature a key is published: as long as the longest token it signed lives.
    public let retiredFor: Duration

    /// A policy.
    ///
    /// - Parameters:
    ///   - rotateAfter: How long a key signs; longer than `publishAhead`.
    ///   - publishAhead: How long before its first signature a key is published.
    ///   - retiredFor: How long after its last signature a key is published.
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
