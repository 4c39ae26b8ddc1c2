/// The lives of a policy's tokens.
public struct TokenLifetimes: Hashable, Sendable, Codable {
    /// The life of an access token; 300 s to 86400 s.
    public let accessToken: Duration
    /// The life of an ID token; 300 s to 86400 s.
    public let idToken: Duration
    /// The life of one refresh token; 1 to 90 days.
    public let refreshToken: Duration
    /// The time after the sign-in from which no refresh token of its family works; `refreshToken` to 365 days;
    /// nil for never.
    public let slidingWindow: Duration?

    /// Lifetimes; parameters left out have B2C's defaults.
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
