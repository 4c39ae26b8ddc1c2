public import FlowModel

/// A policy's rule for sessions.
public struct SessionRule: Hashable, Sendable, Codable {
    /// The event from which the lifetime is counted.
    public enum Kind: String, CaseIterable, Hashable, Sendable, Codable {
        /// The last use.
        case rolling
        /// The sign-in.
        case absolute
    }

    /// The maximum lifetime of a rolling session without a sliding window: 365 days, which is also the largest window.
    private static let longest: Duration = .seconds(31_536_000)

    /// The requests that may use a session without prompting the user.
    public let scope: SessionScope
    /// The event from which the lifetime is counted.
    public let kind: Kind
    /// The lifetime, 900 s to 86400 s.
    public let lifetime: Duration
    /// The number of days that a browser stays signed in if the user chooses to stay signed in.
    ///
    /// 0 disables the choice.
    public let keepMeSignedInDays: Int
    /// Whether a sign-out in a browser must identify the session by an ID token.
    public let requireIdTokenHintAtLogout: Bool

    /// Creates a rule.
    ///
    /// The defaults are B2C's.
    public init(
        scope: SessionScope = .tenant,
        kind: Kind = .rolling,
        lifetime: Duration = .seconds(86400),
        keepMeSignedInDays: Int = 0,
        requireIdTokenHintAtLogout: Bool = false
    ) {
        self.scope = scope
        self.kind = kind
        self.lifetime = lifetime
        self.keepMeSignedInDays = keepMeSignedInDays
        self.requireIdTokenHintAtLogout = requireIdTokenHintAtLogout
    }

    /// Returns the maximum duration of a session, counted from the sign-in.
    ///
    /// - Parameter window: The policy's sliding window, or `nil` for none.
    /// - Returns: The lifetime of an absolute session. For a rolling session, the longer of the lifetime and the
    ///   sliding window, or 365 days without a window.
    public func longest(window: Duration?) -> Duration {
        switch kind {
        case .rolling: max(lifetime, window ?? Self.longest)
        case .absolute: lifetime
        }
    }
}
