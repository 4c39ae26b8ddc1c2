/// The lifetimes of a policy's tokens.
public struct TokenLifetimes: Hashable, Sendable, Codable {
    /// The lifetime of an access token, from 300 s to 86400 s.
    public let accessToken: Duration
    /// The lifetime of an ID token, from 300 s to 86400 s.
    public let idToken: Duration
    /// The lifetime of a refresh token, from 1 to 90 days.
    public let refreshToken: Duration
    /// The period after sign-in during which tokens can be refreshed, or `nil` for no limit.
    ///
    /// The minimum is ``refreshToken``, and the maximum is 365 days.
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
