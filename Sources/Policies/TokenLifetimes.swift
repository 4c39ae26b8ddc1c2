/// How long a policy's tokens live.
public struct TokenLifetimes: Hashable, Sendable, Codable {
    /// The life of an access token; 300 s to 86400 s.
    public let accessToken: Duration
    /// The life of an ID token; 300 s to 86400 s.
    public let idToken: Duration
    /// The life of one refresh token; 1 to 90 days.
    public let refreshToken: Duration
    /// The time after the sign-in when no refresh token of its family works any more; `refreshToken` to 365 days.
    public let slidingWindow: Duration

    /// Lifetimes; what is left out has B2C's default.
    public init(
        accessToken: Duration = .seconds(3600),
        idToken: Duration = .seconds(3600),
        refreshToken: Duration = .seconds(1_209_600),
        slidingWindow: Duration = .seconds(7_776_000)
    ) {
        self.accessToken = accessToken
        self.idToken = idToken
        self.refreshToken = refreshToken
        self.slidingWindow = slidingWindow
    }
}
