import Crypto
import Foundation
public import OAuth

/// The secrets of an authorization request to a provider, and the authentication that the request requires.
public struct ProviderRequest: Hashable, Sendable {
    /// The value that the response must repeat (RFC 6749 §10.12).
    public let state: String
    /// The value that the ID token must contain (OpenID Connect Core §3.1.2.1).
    public let nonce: String
    /// The PKCE `code_verifier`, from which the request's challenge is computed (RFC 7636).
    public let verifier: Secret
    /// The requirement for a new authentication, or `nil` if an earlier authentication is sufficient.
    public let fresh: FreshProof?

    /// Creates a request with these secrets, each of which must contain at least 128 random bits.
    public init(state: String, nonce: String, verifier: Secret, fresh: FreshProof? = nil) {
        self.state = state
        self.nonce = nonce
        self.verifier = verifier
        self.fresh = fresh
    }

    var challenge: String { Base64URL.encode(Data(SHA256.hash(data: verifier.revealBytes()))) }
}

/// The parameters of a provider's authorization response (RFC 6749 §4.1.2).
public struct ProviderAnswer: Hashable, Sendable {
    /// The authorization code, or `nil` if absent.
    public let code: Secret?
    /// The `iss` of the response (RFC 9207), or `nil` if absent.
    public let issuer: String?
    /// The error code, or `nil` if absent.
    public let error: String?

    /// Creates a response from its parameters.
    public init(code: Secret?, issuer: String?, error: String?) {
        self.code = code
        self.issuer = issuer
        self.error = error
    }
}

extension ProviderAnswer {
    /// Returns the code, or throws an error if the response reports one or comes from another issuer (RFC 9207).
    func code(of registration: ProviderRegistration) throws(ProviderError) -> Secret {
        switch registration.place {
        case .issuer, .endpoints: try refuse(issuer: registration.issuer, registration)
        // Only the policy's metadata contains the expected issuer, so `requireIssuer` checks the issuer.
        case .policy: break
        }
        if let error { throw Self.refusal(error, of: registration) }
        guard let code, (1...4096).contains(code.count) else {
            throw ProviderError(.protocolViolation, "the response of \(registration.name) has no code")
        }
        return code
    }

    /// The error codes for a denial or a required user interaction (RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6).
    ///
    /// Only Apple sends the last code.
    private static let denials = [
        "access_denied", "consent_required", "login_required", "interaction_required", "account_selection_required",
        "user_cancelled_authorize",
    ]
    /// The codes that reject a request (RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6, RFC 8707 §2).
    private static let objections = [
        "invalid_request", "unauthorized_client", "unsupported_response_type", "invalid_scope", "invalid_target",
        "invalid_request_uri", "invalid_request_object", "request_not_supported", "request_uri_not_supported",
        "registration_not_supported",
    ]

    /// Returns the error for a provider's error code, which the message contains only if the code is known.
    private static func refusal(_ error: String, of registration: ProviderRegistration) -> ProviderError {
        let hasFailed = TokenEndpointAnswer.failures.contains(error)
        let code: ProviderError.Code =
            denials.contains(error) ? .denied : hasFailed ? .unavailable : .protocolViolation
        let isKnown = code != .protocolViolation || objections.contains(error)
        let word = isKnown ? error : "an unknown error code"
        return ProviderError(code, "\(registration.name) responded with \(word)")
    }

    private func refuse(
        issuer expected: String,
        _ registration: ProviderRegistration
    ) throws(ProviderError) {
        guard issuer.map({ $0 == expected }) ?? true else {
            throw ProviderError(.protocolViolation, "the response of \(registration.name) is from another issuer")
        }
    }

    /// Rejects a response from another issuer, or without `iss` if the metadata promises `iss`.
    func requireIssuer(
        _ metadata: ProviderMetadata,
        _ registration: ProviderRegistration
    ) throws(ProviderError) {
        try refuse(issuer: metadata.issuer, registration)
        if metadata.answersWithIssuer, issuer == nil {
            throw ProviderError(.protocolViolation, "the response of \(registration.name) has no issuer")
        }
    }
}

/// A user's verified identity at a provider.
public struct ProviderIdentity: Hashable, Sendable, Codable {
    /// The provider's name in the local configuration.
    public let provider: String
    /// The issuer (`iss`), which together with ``subject`` identifies the user.
    public let issuer: String
    /// The user's id at the provider.
    public let subject: String
    /// The user's attributes by local name, with an e-mail address only if a trusted provider has verified it.
    public let attributes: [String: String]
    /// When the user signed in, in seconds since 1970 UTC, or `nil` if not reported (OpenID Connect Core §2).
    public var authTime: Int64?
    /// Whether the provider authenticated the user again, or `nil` if no new authentication was required.
    public var wasAskedAnew: Bool?

    /// Creates an identity without a sign-in time.
    public init(provider: String, issuer: String, subject: String, attributes: [String: String]) {
        self.provider = provider
        self.issuer = issuer
        self.subject = subject
        self.attributes = attributes
    }
}
