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
    ///
    /// A time that nobody says, nil or 0, never is.
    public func isRecent(_ authTime: Int64?, at now: Moment) -> Bool {
        guard let age else { return true }
        guard let authTime, authTime > 0 else { return false }
        return Proof.isRecent(authTime, within: age, at: now)
    }

    /// The longest `maxAge` that makes a difference, in seconds.
    private static let longestAge: Int64 = 3_155_760_000
}

extension Proof {
    /// True if the person proved within `duration` who they are, to change what they have.
    ///
    /// A provider that does not say when it was is believed if it was sent the person for a fresh proof.
    public func isFresh(within duration: Duration, at now: Moment) -> Bool {
        let taken = elsewhere?.wasAskedAnew == true ? at : nil
        return (provedAt ?? taken).map { Self.isRecent($0, within: duration, at: now) } ?? false
    }

    /// True if `time`, in milliseconds since 1970 UTC, lies at most `duration` back and not in the future: a wall
    /// clock that is set back prolongs nothing.
    public static func isRecent(_ time: Int64, within duration: Duration, at now: Moment) -> Bool {
        let age = now.wall - time
        return age >= -tolerance && age <= duration.milliseconds
    }

    /// Milliseconds by which clocks are corrected in daily life.
    private static let tolerance: Int64 = 5_000
}
