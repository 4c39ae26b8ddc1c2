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
        // OpenID Connect Core §3.1.2.6, and its extension for unmet requests
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
