public import FlowModel

/// The rule of a policy's sessions.
public struct SessionRule: Hashable, Sendable, Codable {
    /// The event that its lifetime is counted from.
    public enum Kind: String, CaseIterable, Hashable, Sendable, Codable {
        /// The last use.
        case rolling
        /// The sign-in.
        case absolute
    }

    /// The time after the sign-in at which a rolling session of a policy without a window ends: 365 days, which is the
    /// greatest window.
    private static let longest: Duration = .seconds(31_536_000)

    /// The requests that may use a session without a question.
    public let scope: SessionScope
    /// The event that its lifetime is counted from.
    public let kind: Kind
    /// The lifetime; 900 s to 86400 s.
    public let lifetime: Duration
    /// The days for which a browser stays signed in if the person asked for it; 0 is never.
    public let keepMeSignedInDays: Int
    /// True if a sign-out in a browser must name the session by its ID token.
    public let requireIdTokenHintAtLogout: Bool

    /// A rule; parameters left out have B2C's defaults.
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

    /// The time after the sign-in at which a session ends, whatever happens.
    ///
    /// - Parameter window: The policy's sliding window; nil for none.
    /// - Returns: The lifetime, or for a rolling session the window if that is longer; without a window 365 days.
    public func longest(window: Duration?) -> Duration {
        switch kind {
        case .rolling: max(lifetime, window ?? Self.longest)
        case .absolute: lifetime
        }
    }
}
