public import FlowModel

/// A policy's rule for sessions.
public struct SessionRule: Hashable, Sendable, Codable {
    /// Whether the lifetime of a session is counted from its last use (`rolling`) or from the sign-in (`absolute`).
    public enum Kind: String, CaseIterable, Hashable, Sendable, Codable {
        case rolling
        case absolute
    }

    /// The maximum duration of a rolling session if refresh tokens have no sliding window (365 days).
    private static let longest: Duration = .seconds(31_536_000)

    /// The requests that can reuse a session instead of prompting the user.
    public let scope: SessionScope
    /// The event from which the lifetime of a session is counted.
    public let kind: Kind
    /// The lifetime of a session, from 900 s to 86400 s.
    public let lifetime: Duration
    /// How many days a browser stays signed in if the user selects "Keep me signed in", or 0 to hide that option.
    public let keepMeSignedInDays: Int
    /// Whether a sign-out request from a browser must include an ID token that identifies the session.
    public let requireIdTokenHintAtLogout: Bool

    /// Creates a rule with B2C's defaults.
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
    /// `window` is the sliding window of the policy's refresh tokens, or `nil` if there is none.
    public func longest(window: Duration?) -> Duration {
        switch kind {
        case .rolling: max(lifetime, window ?? Self.longest)
        case .absolute: lifetime
        }
    }
}
