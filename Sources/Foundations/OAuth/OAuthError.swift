/// An error response to an OAuth 2.0 client, sent as `error` and `error_description` (RFC 6749 §5.2).
public struct OAuthError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The registered error code.
    public let code: Code
    /// A sentence for the client's developer, which must not contain any values except those that the client sent.
    public let description: String
    /// The cause of the error for the log, which is not sent to the client and must not contain secrets.
    public let detail: String?

    /// Creates an error with the given code.
    public init(code: Code, description: String, detail: String? = nil) {
        self.code = code
        self.description = description
        self.detail = detail
    }

    /// The HTTP status of the response (RFC 6749 §5.2, RFC 6750 §3.1, RFC 9470 §3).
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
    /// Creates an error for a parameter that is missing, repeated, malformed or out of range.
    public static func invalidRequest(_ description: String, detail: String? = nil) -> Self {
        Self(code: .invalidRequest, description: description, detail: detail)
    }

    /// Creates an error for a scope that is malformed, unknown or not allowed for the client.
    public static func invalidScope(_ description: String, detail: String? = nil) -> Self {
        Self(code: .invalidScope, description: description, detail: detail)
    }

    /// Creates an error for a client that is unknown or failed to authenticate, without revealing which.
    public static func invalidClient(detail: String) -> Self {
        Self(code: .invalidClient, description: "client authentication failed", detail: detail)
    }

    /// Creates an error for a request that the user or the authority denied.
    public static func accessDenied(_ description: String, detail: String? = nil) -> Self {
        Self(code: .accessDenied, description: description, detail: detail)
    }

    /// Creates an error for a token that is malformed, expired, revoked or for another resource, without saying which.
    public static func invalidToken(detail: String) -> Self {
        Self(code: .invalidToken, description: "the access token is not valid", detail: detail)
    }

    /// Creates an error for a token that lacks a required scope.
    public static func insufficientScope(_ description: String, detail: String? = nil) -> Self {
        Self(code: .insufficientScope, description: description, detail: detail)
    }

    /// Creates an error for an internal failure of the server.
    public static func serverError(detail: String) -> Self {
        Self(code: .serverError, description: "the authorization server met an unexpected condition", detail: detail)
    }
}

extension OAuthError {
    /// An error code from the OAuth Extensions Error registry (RFC 6749 §11.4), sent as `error`.
    public enum Code: String, CaseIterable, Hashable, Sendable, Codable {
        // The following codes are defined in RFC 6749 §4.1.2.1 and §5.2.
        case invalidRequest = "invalid_request"
        case invalidClient = "invalid_client"
        case invalidGrant = "invalid_grant"
        case unauthorizedClient = "unauthorized_client"
        case unsupportedGrantType = "unsupported_grant_type"
        case unsupportedResponseType = "unsupported_response_type"
        case invalidScope = "invalid_scope"
        case accessDenied = "access_denied"
        case serverError = "server_error"
        case temporarilyUnavailable = "temporarily_unavailable"
        // The following codes are defined in RFC 6750 §3.1 and RFC 9470 §3.
        case invalidToken = "invalid_token"
        case insufficientScope = "insufficient_scope"
        case insufficientUserAuthentication = "insufficient_user_authentication"
        // The following code is defined in RFC 7009 §2.2.1.
        case unsupportedTokenType = "unsupported_token_type"
        // The following codes are defined in RFC 7591 §3.2.2.
        case invalidRedirectURI = "invalid_redirect_uri"
        case invalidClientMetadata = "invalid_client_metadata"
        case invalidSoftwareStatement = "invalid_software_statement"
        case unapprovedSoftwareStatement = "unapproved_software_statement"
        // The following codes are defined in RFC 8628 §3.5.
        case authorizationPending = "authorization_pending"
        case slowDown = "slow_down"
        case expiredToken = "expired_token"
        // The following codes are defined in RFC 8707 §2, RFC 9396 §5, and RFC 9449 §5 and §8.
        case invalidTarget = "invalid_target"
        case invalidAuthorizationDetails = "invalid_authorization_details"
        case invalidDPoPProof = "invalid_dpop_proof"
        case useDPoPNonce = "use_dpop_nonce"
        // The following codes are defined in OpenID Connect Core §3.1.2.6, and the last one in an extension of it.
        case interactionRequired = "interaction_required"
        case loginRequired = "login_required"
        case accountSelectionRequired = "account_selection_required"
        case consentRequired = "consent_required"
        case invalidRequestURI = "invalid_request_uri"
        case invalidRequestObject = "invalid_request_object"
        case requestNotSupported = "request_not_supported"
        case requestURINotSupported = "request_uri_not_supported"
        case registrationNotSupported = "registration_not_supported"
        case unmetAuthenticationRequirements = "unmet_authentication_requirements"
    }
}

extension OAuthError {
    /// Creates an error whose description starts with `AADB2C` and `number`, as clients of Azure AD B2C expect.
    public static func b2c(_ code: Code, _ number: Int, _ description: String, detail: String? = nil) -> OAuthError {
        OAuthError(code: code, description: "AADB2C\(number): \(description)", detail: detail)
    }

    /// Creates an `invalid_grant` error whose description starts with `AADB2C` followed by `number`.
    public static func invalidGrant(_ number: Int, _ description: String) -> OAuthError {
        .b2c(.invalidGrant, number, description)
    }
}
