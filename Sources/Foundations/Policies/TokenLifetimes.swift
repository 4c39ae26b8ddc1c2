/// The lifetimes of a policy's tokens.
public struct TokenLifetimes: Hashable, Sendable, Codable {
    /// The lifetime of an access token, from 300 s to 86400 s.
    public let accessToken: Duration
    /// The lifetime of an ID token, from 300 s to 86400 s.
    public let idToken: Duration
    /// The lifetime of a refresh token, from 1 to 90 days.
    public let refreshToken: Duration
    /// How long after the sign-in refresh tokens expire, from ``refreshToken`` to 365 days, or `nil` for no limit.
    public let slidingWindow: Duration?

    /// Creates lifetimes with B2C's defaults.
    public init(
        accessToken: Duration = .seconds(3600),
        idToken: Duration = .seconds(3600),
        refreshToken: Duration = .seconds(1_209_600),
        slidingWindow: Duration? = .seconds(7_776_000)
    ) {
        self.accessToken = accessToken
        self.idToken = idToken
        self.refreshToken = refreshToken
        self.slidingWindow = slidingWindow
    }
}
