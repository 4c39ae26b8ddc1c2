public import Moments

/// The contexts and the age that a request asks of an authentication (RFC 9470 §4).
public struct AuthenticationDemand: Hashable, Sendable {
    /// The authentication contexts of which one must be reached; empty means any.
    public let acrValues: [String]
    /// The greatest age of the proof of identity, in seconds.
    public let maxAge: Int64?

    /// A demand of contexts and an age.
    public init(acrValues: [String], maxAge: Int64?) {
        self.acrValues = acrValues
        self.maxAge = maxAge
    }

    /// The greatest age; a hundred years where more is asked for.
    public var age: Duration? { maxAge.map { .seconds(min($0, Self.longestAge)) } }

    /// True if one of these contexts is asked for, or none is.
    public func isReached(by contexts: some Sequence<String>) -> Bool {
        acrValues.isEmpty || contexts.contains { acrValues.contains($0) }
    }

    /// True if `authTime`, in milliseconds since 1970 UTC, is recent enough (OpenID Connect Core §3.1.2.1).
    public func isRecent(_ authTime: Int64, at now: Moment) -> Bool {
        age.map { Proof.isRecent(authTime, within: $0, at: now) } ?? true
    }

    /// The longest `maxAge` that makes a difference, in seconds.
    private static let longestAge: Int64 = 3_155_760_000
}

extension Proof {
    /// True if `time`, in milliseconds since 1970 UTC, lies at most `duration` back and not in the future: a wall
    /// clock that is set back prolongs nothing.
    public static func isRecent(_ time: Int64, within duration: Duration, at now: Moment) -> Bool {
        let age = now.wall - time
        return age >= -tolerance && age <= duration.milliseconds
    }

    /// Milliseconds by which clocks are corrected in daily life.
    private static let tolerance: Int64 = 5_000
}
