/// The addresses of a client at which sign-outs reach it.
public struct SignOutAddresses: Hashable, Sendable {
    /// The addresses that a browser may be sent to after a sign-out (OpenID Connect RP-Initiated Logout §3.1).
    public var postLogoutRedirectURIs: [String]
    /// The address that is told of sign-outs (OpenID Connect Back-Channel Logout §2.2); nil if it is not told.
    public var backchannelLogoutURI: String?

    /// The addresses of a client; none if left out.
    public init(postLogoutRedirectURIs: [String] = [], backchannelLogoutURI: String? = nil) {
        self.postLogoutRedirectURIs = postLogoutRedirectURIs
        self.backchannelLogoutURI = backchannelLogoutURI
    }
}
