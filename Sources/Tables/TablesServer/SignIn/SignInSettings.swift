public import OAuth

/// The terms on which people sign in at this API's own addresses.
public struct SignInSettings: Hashable, Sendable {
    /// The client id at the authority.
    public let client: String
    /// The client's secret; nil for a public client.
    public let secret: Secret?
    /// This API's own origins, where people sign in; if there are none, only those of this machine.
    public let origins: [String]
    /// The origins of other pages that may be told of a sign-in.
    public let pages: [String]
    /// The scopes that a token is asked for, as far as the authority grants them.
    public let scopes: [String]
    /// True if browsers reach this API by TLS.
    public let isSecure: Bool

    /// Names the terms.
    public init(
        client: String,
        secret: Secret?,
        origins: [String],
        pages: [String],
        scopes: [String],
        isSecure: Bool
    ) {
        self.client = client
        self.secret = secret
        self.origins = origins
        self.pages = pages
        self.scopes = scopes
        self.isSecure = isSecure
    }

    /// True if a page of this origin may be told of a sign-in.
    func mayTell(_ origin: String) -> Bool { pages.contains(origin) }
}
