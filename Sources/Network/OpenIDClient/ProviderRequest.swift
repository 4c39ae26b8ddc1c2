import Crypto
import Foundation
public import OAuth

/// One authorization request at a provider: the secrets that its answer must fit, and the proof that it asks for.
public struct ProviderRequest: Hashable, Sendable {
    /// The value that the answer brings back (RFC 6749 §10.12).
    public let state: String
    /// The value that the ID token holds (OpenID Connect Core §3.1.2.1).
    public let nonce: String
    /// The proof key, of which only the challenge leaves with the request (RFC 7636).
    public let verifier: Secret
    /// The fresh proof that it asks for; nil if a sign-in of before will do.
    public let fresh: FreshProof?

    /// A request with these secrets, each of at least 128 random bits.
    public init(state: String, nonce: String, verifier: Secret, fresh: FreshProof? = nil) {
        self.state = state
        self.nonce = nonce
        self.verifier = verifier
        self.fresh = fresh
    }

    /// The challenge of the proof key.
    var challenge: String { Base64URL.encode(Data(SHA256.hash(data: verifier.revealBytes()))) }
}

/// The parameters with which a provider sends a person back (RFC 6749 §4.1.2).
public struct ProviderAnswer: Hashable, Sendable {
    /// The code.
    public let code: Secret?
    /// The issuer that answers, if it says so (RFC 9207).
    public let issuer: String?
    /// The error.
    public let error: String?

    /// An answer with these parameters.
    public init(code: Secret?, issuer: String?, error: String?) {
        self.code = code
        self.issuer = issuer
        self.error = error
    }
}

extension ProviderAnswer {
    /// The code; throws if the answer is an error, or another issuer's (RFC 9207).
    func code(of registration: ProviderRegistration) throws(ProviderError) -> Secret {
        switch registration.place {
        case .issuer, .endpoints: try refuse(issuer: registration.issuer, registration)
        // Its metadata name the issuer.
        case .policy: break
        }
        if let error { throw Self.refusal(error, of: registration) }
        guard let code, (1...4096).contains(code.count) else {
            throw ProviderError(.protocolViolation, "the answer of \(registration.name) has no code")
        }
        return code
    }

    /// The errors by which a person, or a provider that asks for one, says no (RFC 6749 §4.1.2.1, OpenID Connect Core
    /// §3.1.2.6); the last one is Apple's.
    private static let denials = [
        "access_denied", "consent_required", "login_required", "interaction_required", "account_selection_required",
        "user_cancelled_authorize",
    ]
    /// The errors by which a provider says that it does not take our request (RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6,
    /// RFC 8707 §2).
    private static let objections = [
        "invalid_request", "unauthorized_client", "unsupported_response_type", "invalid_scope", "invalid_target",
        "invalid_request_uri", "invalid_request_object", "request_not_supported", "request_uri_not_supported",
        "registration_not_supported",
    ]

    /// Returns what an error of a provider means; of other texts than the specifications' nothing is repeated.
    private static func refusal(_ error: String, of registration: ProviderRegistration) -> ProviderError {
        let hasFailed = TokenEndpointAnswer.failures.contains(error)
        let code: ProviderError.Code =
            denials.contains(error) ? .denied : hasFailed ? .unavailable : .protocolViolation
        let isKnown = code != .protocolViolation || objections.contains(error)
        let word = isKnown ? error : "an error that no specification has"
        return ProviderError(code, "\(registration.name) answered with \(word)")
    }

    private func refuse(
        issuer expected: String,
        _ registration: ProviderRegistration
    ) throws(ProviderError) {
        guard issuer.map({ $0 == expected }) ?? true else {
            throw ProviderError(.protocolViolation, "the answer of \(registration.name) is another issuer's")
        }
    }

    /// Refuses an answer of another issuer, or without the one that the metadata promise.
    func requireIssuer(
        _ metadata: ProviderMetadata,
        _ registration: ProviderRegistration
    ) throws(ProviderError) {
        try refuse(issuer: metadata.issuer, registration)
        if metadata.answersWithIssuer, issuer == nil {
            throw ProviderError(.protocolViolation, "the answer of \(registration.name) names no issuer")
        }
    }
}

/// A person as a provider knows them, verified.
public struct ProviderIdentity: Hashable, Sendable, Codable {
    /// The provider's name in our configuration.
    public let provider: String
    /// The issuer: with ``subject`` the identity.
    public let issuer: String
    /// The person's id there.
    public let subject: String
    /// Our attributes of the person; an e-mail address only if the provider has verified it and is believed.
    public let attributes: [String: String]
    /// The time at which the provider says that the person signed in there, in seconds since 1970 UTC; nil if it says none
    /// (OpenID Connect Core §2).
    public var authTime: Int64?
    /// True if the request was for a fresh proof, and the answer passed as one; nil if not.
    public var wasAskedAnew: Bool?

    /// A person as a provider knows them.
    public init(provider: String, issuer: String, subject: String, attributes: [String: String]) {
        self.provider = provider
        self.issuer = issuer
        self.subject = subject
        self.attributes = attributes
    }
}
