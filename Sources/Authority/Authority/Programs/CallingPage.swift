import FlowModel
import OAuth

/// A web page of another origin that sent a request to an endpoint for programs.
public struct CallingPage: Hashable, Sendable {
    /// The page's origin as the browser sent it, or `null` if the browser sent none (RFC 6454 §7.3).
    public let origin: String
    /// Whether the browser marked the request as one from another site (Fetch Metadata Request Headers §2.4).
    ///
    /// Without the mark, the sender can be a program that is no browser.
    public let isMarked: Bool

    /// Creates a page from the header fields of its request.
    public init(origin: String?, isMarked: Bool) {
        self.origin = origin ?? "null"
        self.isMarked = isMarked
    }

    /// Returns the origin whose pages may read the response, or `nil` if no page may.
    ///
    /// Only a client of type `browser` accepts requests from pages, and only from the origins of its redirect URIs.
    ///
    /// - Throws: `invalid_request` if the page must not call the endpoint for `client`.
    func reader(of client: OAuthClient?, at endpoint: AuthorityEndpoint) throws(OAuthError) -> String? {
        switch client?.summary.type {
        case .browser where endpoint.isForPages:
            guard client?.pageOrigins.contains(origin) == true else {
                throw .invalidRequest(
                    "no redirect URI of the client has the origin of this page; register one that does"
                )
            }
            return origin
        case .browser, .public, .confidential, nil:
            // CORS does not keep a page on another site from using up the rate limits of its visitors' IP addresses.
            guard !isMarked else { throw .invalidRequest("a page on another site must not call this endpoint") }
            return nil
        }
    }
}

extension AuthorityEndpoint {
    /// Whether pages of browser clients call the endpoint from their own origins.
    public var isForPages: Bool {
        switch self {
        case .token, .revocation, .userinfo: true
        case .authorize, .logout, .pushedRequests, .deviceAuthorization, .introspection, .keys: false
        }
    }
}
