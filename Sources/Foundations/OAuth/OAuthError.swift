/// An error that is answered to an OAuth 2.0 client.
///
/// ``code`` and ``description`` go on the wire as `error` and `error_description` (RFC 6749 §5.2).
/// ``detail`` never does: it is the cause, for the log, and may not hold a secret either.
public struct OAuthError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The registered error code.
    public let code: Code
    /// One sentence for the client's developer; it repeats no value the client did not send.
    public let description: String
    /// The cause, for the log only.
    public let detail: String?

    /// Makes an error of any code.
    public init(code: Code, description: String, detail: String? = nil) {
        self.code = code
        self.description = description
        self.detail = detail
    }

    /// The HTTP status it is answered with (RFC 6749 §5.2, RFC 6750 §3.1, RFC 9470 §3).
    public var status: Int {
        switch code {
        case .invalidClient, .invalidToken, .insufficientUserAuthentication: 401
        case .insufficientScope: 403
        case .serverError: 500
        case .temporarilyUnavailable: 503
        default: 400
        }
    }
}

extension OAuthError {
    /// A parameter is missing, repeated, malformed or out of range.
    public static func invalidRequest(_ description: String, detail: String? = nil) -> Self {
        Self(code: .invalidRequest, description: description, detail: detail)
    }

    /// A scope is malformed, unknown or not the client's.
    public static func invalidScope(_ description: String, detail: String? = nil) -> Self {
        Self(code: .invalidScope, description: description, detail: detail)
    }

    /// The client is unknown or did not prove who it is; it is not told which.
    public static func invalidClient(detail: String) -> Self {
        Self(code: .invalidClient, description: "client authentication failed", detail: detail)
    }

    /// The grant is wrong, expired, used, or another client's; the client is not told which.
    public static func invalidGrant(detail: String) -> Self {
        Self(code: .invalidGrant, description: "the grant is not valid", detail: detail)
    }

    /// The client may not do this.
    public static func unauthorizedClient(_ description: String, detail: String? = nil) -> Self {
        Self(code: .unauthorizedClient, description: description, detail: detail)
    }

    /// The grant type does not exist here.
    public static func unsupportedGrantType(_ description: String = "this grant type is not supported") -> Self {
        Self(code: .unsupportedGrantType, description: description)
    }

    /// The person or the authority refused.
    public static func accessDenied(_ description: String, detail: String? = nil) -> Self {
        Self(code: .accessDenied, description: description, detail: detail)
    }

    /// The token is malformed, expired, revoked or not for this resource; the client is not told which.
    public static func invalidToken(detail: String) -> Self {
        Self(code: .invalidToken, description: "the access token is not valid", detail: detail)
    }

    /// The token does not carry the scope that is needed.
    public static func insufficientScope(_ description: String, detail: String? = nil) -> Self {
        Self(code: .insufficientScope, description: description, detail: detail)
    }

    /// The person must sign in, or sign in anew.
    public static func loginRequired(_ description: String = "the user must sign in", detail: String? = nil) -> Self {
        Self(code: .loginRequired, description: description, detail: detail)
    }

    /// The person must do something before this can be answered.
    public static func interactionRequired(_ description: String, detail: String? = nil) -> Self {
        Self(code: .interactionRequired, description: description, detail: detail)
    }

    /// The server failed.
    public static func serverError(detail: String) -> Self {
        Self(code: .serverError, description: "the authorization server met an unexpected condition", detail: detail)
    }

    /// The server is overloaded; a later attempt may work.
    public static func temporarilyUnavailable(_ description: String, detail: String? = nil) -> Self {
        Self(code: .temporarilyUnavailable, description: description, detail: detail)
    }
}
