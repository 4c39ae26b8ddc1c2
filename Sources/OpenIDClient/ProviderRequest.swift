import Crypto
import Foundation
public import OAuth

/// One authorization request at a provider: the secrets that its answer must fit.
public struct ProviderRequest: Hashable, Sendable {
    /// The value that the answer brings back (RFC 6749 §10.12).
    public let state: String
    /// The value that the ID token holds (OpenID Connect Core §3.1.2.1).
    public let nonce: String
    /// The proof key, of which only the challenge leaves with the request (RFC 7636).
    public let verifier: Secret

    /// A request with these secrets, each of at least 128 random bits.
    public init(state: String, nonce: String, verifier: Secret) {
        self.state = state
        self.nonce = nonce
        self.verifier = verifier
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
        if let issuer, issuer != registration.issuer {
            throw ProviderError(.protocolViolation, "the answer of \(registration.name) is another issuer's")
        }
        if error != nil { throw ProviderError(.denied, "\(registration.name) answered with an error") }
        guard let code, (1...4096).contains(code.count) else {
            throw ProviderError(.protocolViolation, "the answer of \(registration.name) has no code")
        }
        return code
    }

    /// Refuses an answer without the issuer that the metadata promise.
    func requireIssuer(
        _ metadata: ProviderMetadata,
        _ registration: ProviderRegistration
    ) throws(ProviderError) {
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

    /// A person as a provider knows them.
    public init(provider: String, issuer: String, subject: String, attributes: [String: String]) {
        self.provider = provider
        self.issuer = issuer
        self.subject = subject
        self.attributes = attributes
    }
}
