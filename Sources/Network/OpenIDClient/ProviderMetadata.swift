import FlowModel
import Foundation
import OAuth

/// A provider's endpoints and capabilities, from the provider's metadata or from the local configuration.
struct ProviderMetadata: Sendable {
    let issuer: String
    let authorization: String
    let token: String
    let userinfo: String?
    /// The URL of the key set, or `nil` if the provider issues no ID tokens.
    let keys: String?
    /// Whether every authorization response contains `iss` (RFC 9207).
    let answersWithIssuer: Bool
    let authentication: [String]
    /// The supported scopes, or an empty array if the metadata lists none.
    let scopes: [String]
    /// The supported grant types, or an empty array if the metadata lists none.
    let grantTypes: [String]
    /// The revocation endpoint (RFC 7009), or `nil` if absent.
    let revocation: String?
    /// The introspection endpoint (RFC 7662), or `nil` if absent.
    let introspection: String?
    /// The device authorization endpoint (RFC 8628), or `nil` if absent.
    let deviceAuthorization: String?
    let endSession: String?
    /// The provider's time when it sent the metadata, in seconds since 1970 UTC, or `nil` if unknown.
    var sentAt: Int64?

    init(issuer: String, authorization: String, token: String, userinfo: String) {
        self.issuer = issuer
        self.authorization = authorization
        self.token = token
        self.userinfo = userinfo
        keys = nil
        answersWithIssuer = false
        authentication = []
        scopes = []
        grantTypes = []
        revocation = nil
        introspection = nil
        endSession = nil
        deviceAuthorization = nil
    }

    /// Parses the metadata of `issuer` (OpenID Connect Discovery §3, §4.3).
    ///
    /// If `hasPolicies` is `true`, the issuer in the metadata can be any issuer with the same origin as `issuer`.
    init(_ json: JSONValue?, of issuer: String, hasPolicies: Bool = false) throws(ProviderError) {
        let document: ServerMetadata
        do {
            document = try ServerMetadata(json: json ?? .null)
        } catch {
            throw ProviderError(.protocolViolation, "the metadata of \(issuer) cannot be read")
        }
        let isIssuer =
            hasPolicies
            ? OutsideURL.refusal(document.issuer) == nil && OutsideURL.haveSameOrigin(document.issuer, issuer)
            : document.issuer == issuer
        guard isIssuer else {
            // Only a spelling of the configured issuer is repeated, because the metadata is not trusted.
            let right = IssuerURL.spellings(of: issuer).contains(document.issuer) ? document.issuer : nil
            let hint = right.map { "; configure the issuer as \($0)" } ?? ""
            throw ProviderError(.protocolViolation, "the metadata of \(issuer) is for another issuer\(hint)")
                .saying(Self.foreignIssuer(issuer, right: right))
        }
        func optional(_ text: String?, _ name: String) throws(ProviderError) -> String? {
            guard let text else { return nil }
            return try Self.address(text, name, issuer)
        }
        self.issuer = document.issuer
        authorization = try Self.address(document.authorizationEndpoint, "authorization_endpoint", issuer)
        token = try Self.address(document.tokenEndpoint, "token_endpoint", issuer)
        keys = try Self.address(document.jwksURI, "jwks_uri", issuer)
        userinfo = try optional(document.userinfoEndpoint, "userinfo_endpoint")
        answersWithIssuer = document.answersWithIssuer ?? false
        authentication = document.tokenEndpointAuthMethods
        scopes = document.scopes
        grantTypes = document.grantTypes
        revocation = try optional(document.revocationEndpoint, "revocation_endpoint")
        introspection = try optional(document.introspectionEndpoint, "introspection_endpoint")
        deviceAuthorization = try optional(document.deviceAuthorizationEndpoint, "device_authorization_endpoint")
        endSession = try optional(document.endSessionEndpoint, "end_session_endpoint")
    }

    private static func foreignIssuer(_ issuer: String, right: String?) -> EnglishText {
        guard let right else { return foreignIssuer(issuer) }
        return EnglishText(
            "The metadata at \(issuer) is for the issuer \(right). Configure \(right).",
            "failure.provider.misspeltIssuer",
            ["issuer": issuer, "right": right]
        )
    }

    private static func foreignIssuer(_ issuer: String) -> EnglishText {
        EnglishText(
            "The metadata at \(issuer) is for another issuer. Configure the issuer exactly as the provider documents it.",
            "failure.provider.foreignIssuer",
            ["issuer": issuer]
        )
    }

    private static func address(_ text: String?, _ name: String, _ issuer: String) throws(ProviderError) -> String {
        guard let text else { throw ProviderError(.protocolViolation, "the metadata of \(issuer) has no \(name)") }
        guard text.utf8.allSatisfy(isWritten) else {
            throw ProviderError(.protocolViolation, "\(name) of \(issuer) has characters that are not allowed in a URL")
        }
        if let refusal = OutsideURL.refusal(text) {
            throw ProviderError(.protocolViolation, "\(name) of \(issuer) \(refusal)")
        }
        // A remote provider must not be able to direct requests to services on this machine, which may use http.
        guard !text.lowercased().hasPrefix("http:") || issuer.lowercased().hasPrefix("http:") else {
            throw ProviderError(.protocolViolation, "\(name) of \(issuer) uses http, but the issuer uses https")
        }
        return text
    }

    /// Whether a byte can appear in a URL (RFC 3986 §2).
    ///
    /// Some other bytes could end a header line.
    private static func isWritten(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !"\"<>\\^`{|}".utf8.contains(byte)
    }
}

/// The capabilities that a provider's metadata describes.
public struct ProviderAbilities: Hashable, Sendable {
    /// Whether the provider issues ID tokens.
    public let identifies: Bool
    /// Whether the provider issues refresh tokens.
    ///
    /// If the metadata does not say, this is `true` for a provider that issues ID tokens.
    public let keepsSignedIn: Bool
    /// Whether the provider can revoke refresh tokens (RFC 7009).
    public let revokes: Bool
    /// Whether the provider has an end session endpoint.
    public let endsSessions: Bool
    /// The supported scopes, or an empty array if the metadata lists none.
    public let scopes: [String]

    init(_ metadata: ProviderMetadata) {
        identifies = metadata.keys != nil
        keepsSignedIn =
            metadata.scopes.contains(Scope.offlineAccess.name) || metadata.grantTypes.contains("refresh_token")
            || (metadata.keys != nil && metadata.scopes.isEmpty && metadata.grantTypes.isEmpty)
        revokes = metadata.revocation != nil
        endsSessions = metadata.endSession != nil
        scopes = metadata.scopes
    }
}

extension OpenIDClient {
    /// Returns a provider's current capabilities, without using cached metadata.
    public func abilities(of registration: ProviderRegistration) async throws(ProviderError) -> ProviderAbilities {
        try await calling(registration) { () async throws(ProviderError) in
            await self.documents.forget(registration)
            return ProviderAbilities(try await self.documents.metadata(of: registration))
        }
    }
}
