import Foundation
import OAuth

/// The endpoints of a provider, discovered or configured.
struct ProviderMetadata: Sendable {
    /// The issuer of its ID tokens.
    let issuer: String
    let authorization: String
    let token: String
    let userinfo: String?
    /// The URL of the key set; nil for a provider without ID tokens.
    let keys: String?
    /// True if every answer names its issuer (RFC 9207).
    let answersWithIssuer: Bool
    /// The ways in which clients may prove who they are.
    let authentication: [String]
    /// The scopes that it says it has; empty if it says none.
    let scopes: [String]
    /// The grants that it says it takes; empty if it says none.
    let grantTypes: [String]
    /// The endpoint that revokes tokens (RFC 7009), if there is one.
    let revocation: String?
    /// The endpoint that describes tokens (RFC 7662), if there is one.
    let introspection: String?
    /// The endpoint at which devices without a keyboard begin (RFC 8628), if there is one.
    let deviceAuthorization: String?
    /// The place at which a browser ends the provider's own session, if there is one.
    let endSession: String?

    /// Takes configured endpoints.
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

    /// Reads discovered metadata (OpenID Connect Discovery §3), whose issuer must be the one that was asked (§4.3).
    ///
    /// An authority with policies names an issuer of another path, at the same origin.
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
            throw ProviderError(.protocolViolation, "the metadata of \(issuer) are another issuer's")
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

    private static func address(_ text: String?, _ name: String, _ issuer: String) throws(ProviderError) -> String {
        guard let text else { throw ProviderError(.protocolViolation, "the metadata of \(issuer) have no \(name)") }
        guard text.utf8.allSatisfy(isWritten) else {
            throw ProviderError(.protocolViolation, "\(name) of \(issuer) has characters that no URL has")
        }
        if let refusal = OutsideURL.refusal(text) {
            throw ProviderError(.protocolViolation, "\(name) of \(issuer) \(refusal)")
        }
        // Whoever is elsewhere sends nobody to the services of this machine.
        guard !text.lowercased().hasPrefix("http:") || issuer.lowercased().hasPrefix("http:") else {
            throw ProviderError(.protocolViolation, "\(name) of \(issuer) is http, and the issuer is https")
        }
        return text
    }

    /// True for a character that a URL is written with (RFC 3986 §2): others would end a line of a header, or be read in two
    /// ways.
    private static func isWritten(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !"\"<>\\^`{|}".utf8.contains(byte)
    }
}

/// The things that a provider's metadata say of it.
public struct ProviderAbilities: Hashable, Sendable {
    /// True if it issues ID tokens.
    public let identifies: Bool
    /// True if it says that it gives refresh tokens, by a scope or a grant, or says nothing of either.
    public let keepsSignedIn: Bool
    /// True if it revokes refresh tokens (RFC 7009).
    public let revokes: Bool
    /// True if it has a place to end its own session.
    public let endsSessions: Bool
    /// The scopes that it says it has.
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
    /// Reads what a provider says of itself now.
    ///
    /// - Parameter registration: The provider.
    /// - Returns: The things that it can do.
    /// - Throws: ``ProviderError``.
    public func abilities(of registration: ProviderRegistration) async throws(ProviderError) -> ProviderAbilities {
        try await calling(registration) { () async throws(ProviderError) in
            await self.documents.forget(registration)
            return ProviderAbilities(try await self.documents.metadata(of: registration))
        }
    }
}
