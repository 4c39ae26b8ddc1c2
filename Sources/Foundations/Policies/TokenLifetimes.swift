/// The lifetimes of a policy's tokens.
public struct TokenLifetimes: Hashable, Sendable, Codable {
    /// The lifetime of an access token, 300 s to 86400 s.
    public let accessToken: Duration
    /// The lifetime of an ID token, 300 s to 86400 s.
    public let idToken: Duration
    /// The lifetime of a refresh token, 1 to 90 days.
    public let refreshToken: Duration
    /// The time after the sign-in at which all refresh tokens of the family expire, from `refreshToken` to 365 days, or
    /// `nil` for never.
    public let slidingWindow: Duration?

    /// Creates lifetimes.
    ///
    /// The defaults are B2C's.
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
