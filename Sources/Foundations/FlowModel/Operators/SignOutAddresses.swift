/// The logout URIs of a client.
public struct SignOutAddresses: Hashable, Sendable {
    /// The URIs to which a browser may be redirected after a sign-out (OpenID Connect RP-Initiated Logout §3.1).
    public var postLogoutRedirectURIs: [String]
    /// The URI that receives logout tokens (OpenID Connect Back-Channel Logout §2.2), or `nil` if the client has none.
    public var backchannelLogoutURI: String?

    /// Creates the logout URIs of a client, by default none.
    public init(postLogoutRedirectURIs: [String] = [], backchannelLogoutURI: String? = nil) {
        self.postLogoutRedirectURIs = postLogoutRedirectURIs
        self.backchannelLogoutURI = backchannelLogoutURI
    }
}
