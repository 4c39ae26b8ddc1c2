public import Moments

/// The authentication contexts and the maximum age that a request requires (RFC 9470 §4).
public struct AuthenticationDemand: Hashable, Sendable {
    /// The acceptable authentication contexts, or an empty array for any context.
    public let acrValues: [String]
    /// The maximum age of the authentication, in seconds, or `nil` for any age.
    public let maxAge: Int64?

    /// Creates a demand from authentication contexts and a maximum age in seconds.
    public init(acrValues: [String], maxAge: Int64?) {
        self.acrValues = acrValues
        self.maxAge = maxAge
    }

    /// The maximum age of the authentication as a duration of at most 100 years, or `nil` for any age.
    public var age: Duration? { maxAge.map { .seconds(min($0, Self.longestAge)) } }

    /// Whether the demand accepts any context or lists at least one of `contexts`.
    public func isReached(by contexts: some Sequence<String>) -> Bool {
        acrValues.isEmpty || contexts.contains { acrValues.contains($0) }
    }

    /// Whether `authTime`, in milliseconds since 1970 UTC, is known and recent enough (OpenID Connect Core §3.1.2.1).
    public func isRecent(_ authTime: Int64?, at now: Moment) -> Bool {
        guard let age else { return true }
        guard let authTime, authTime > 0 else { return false }
        return Proof.isRecent(authTime, within: age, at: now)
    }

    /// The upper limit of ``age``, in seconds.
    private static let longestAge: Int64 = 3_155_760_000
}

extension Proof {
    /// Whether the user authenticated at most `duration` ago, which is required for changes to credentials.
    ///
    /// If an external provider authenticated the user again on request but reported no time, ``at`` is used instead.
    public func isFresh(within duration: Duration, at now: Moment) -> Bool {
        let taken = elsewhere?.wasAskedAnew == true ? at : nil
        return (provedAt ?? taken).map { Self.isRecent($0, within: duration, at: now) } ?? false
    }

    /// Whether `time`, in milliseconds since 1970 UTC, is at most `duration` ago and not in the future.
    ///
    /// Setting the wall clock back therefore does not make an authentication last longer.
    public static func isRecent(_ time: Int64, within duration: Duration, at now: Moment) -> Bool {
        let age = now.wall - time
        return age >= -tolerance && age <= duration.milliseconds
    }

    /// How far in the future a time may be because of routine clock corrections, in milliseconds.
    private static let tolerance: Int64 = 5_000
}
