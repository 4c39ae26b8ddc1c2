/// An error response to an OAuth 2.0 client, sent as `error` and `error_description` (RFC 6749 §5.2).
public struct OAuthError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The registered error code.
    public let code: Code
    /// A sentence for the client's developer.
    ///
    /// It contains no values except those that the client sent.
    public let description: String
    /// The cause, which is written to the log only and contains no secrets.
    public let detail: String?

    /// Creates an error with any code.
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

    /// Creates an error for a client that is unknown or failed to authenticate.
    ///
    /// The response does not say which of the two is the case.
    public static func invalidClient(detail: String) -> Self {
        Self(code: .invalidClient, description: "client authentication failed", detail: detail)
    }

    /// Creates an error for a request that the user or the authority denied.
    public static func accessDenied(_ description: String, detail: String? = nil) -> Self {
        Self(code: .accessDenied, description: description, detail: detail)
    }

    /// Creates an error for a token that is malformed, expired, revoked or intended for another resource.
    ///
    /// The response does not say which of these is the case.
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
    /// The registered `error` values, spelled as on the wire (the OAuth Extensions Error registry of RFC 6749 §11.4).
    public enum Code: String, CaseIterable, Hashable, Sendable, Codable {
        // RFC 6749 §4.1.2.1, §5.2
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
        // RFC 6750 §3.1, RFC 9470 §3
        case invalidToken = "invalid_token"
        case insufficientScope = "insufficient_scope"
        case insufficientUserAuthentication = "insufficient_user_authentication"
        // RFC 7009 §2.2.1
        case unsupportedTokenType = "unsupported_token_type"
        // RFC 7591 §3.2.2
        case invalidRedirectURI = "invalid_redirect_uri"
        case invalidClientMetadata = "invalid_client_metadata"
        case invalidSoftwareStatement = "invalid_software_statement"
        case unapprovedSoftwareStatement = "unapproved_software_statement"
        // RFC 8628 §3.5
        case authorizationPending = "authorization_pending"
        case slowDown = "slow_down"
        case expiredToken = "expired_token"
        // RFC 8707 §2, RFC 9396 §5, RFC 9449 §5, §8
        case invalidTarget = "invalid_target"
        case invalidAuthorizationDetails = "invalid_authorization_details"
        case invalidDPoPProof = "invalid_dpop_proof"
        case useDPoPNonce = "use_dpop_nonce"
        // OpenID Connect Core §3.1.2.6, and the extension for unmet authentication requirements
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
    /// Creates an error whose description starts with `AADB2C` and `number`, as Azure AD B2C clients expect.
    public static func b2c(_ code: Code, _ number: Int, _ description: String, detail: String? = nil) -> OAuthError {
        OAuthError(code: code, description: "AADB2C\(number): \(description)", detail: detail)
    }

    /// Creates an `invalid_grant` error whose description starts with the B2C error code for `number`.
    public static func invalidGrant(_ number: Int, _ description: String) -> OAuthError {
        .b2c(.invalidGrant, number, description)
    }
}
