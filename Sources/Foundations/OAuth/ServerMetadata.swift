/// The metadata that an issuer publishes (RFC 8414 §2, OpenID Connect Discovery §3).
///
/// A member that is nil or an empty list is left out (RFC 8414 §3.2).
public struct ServerMetadata: Hashable, Sendable, Encodable {
    /// The issuer; equal to `iss` of its tokens, byte for byte.
    public var issuer: String
    /// The URL of the key set (RFC 7517 §5).
    public var jwksURI: String?
    /// The authorization endpoint, for browsers.
    public var authorizationEndpoint: String?
    /// The token endpoint, where grants are exchanged for tokens.
    public var tokenEndpoint: String?
    /// The endpoint that revokes tokens (RFC 7009).
    public var revocationEndpoint: String?
    /// The endpoint that describes tokens to resource servers (RFC 7662).
    public var introspectionEndpoint: String?
    /// The endpoint at which devices without a keyboard begin (RFC 8628).
    public var deviceAuthorizationEndpoint: String?
    /// The endpoint for pushed authorization requests (RFC 9126).
    public var pushedAuthorizationRequestEndpoint: String?
    /// The endpoint that answers with the person's claims (OpenID Connect Core §5.3).
    public var userinfoEndpoint: String?
    /// The endpoint at which a browser signs out.
    public var endSessionEndpoint: String?
    /// The URL of the documentation for developers.
    public var serviceDocumentation: String?
    /// The supported `response_type` values; required, and so never left out.
    public var responseTypes: [String]
    /// The supported `response_mode` values.
    public var responseModes: [String]
    /// The supported `grant_type` values.
    public var grantTypes: [String]
    /// The supported scopes.
    public var scopes: [String]
    /// The claims that tokens may hold.
    public var claims: [String]
    /// The supported authentication contexts (`acr`).
    public var acrValues: [String]
    /// The supported subject types (OpenID Connect Core §8).
    public var subjectTypes: [String]
    /// The languages of the pages.
    public var uiLocales: [String]
    /// The client authentication methods of the token endpoint.
    public var tokenEndpointAuthMethods: [String]
    /// The client authentication methods of the revocation endpoint.
    public var revocationEndpointAuthMethods: [String]
    /// The client authentication methods of the introspection endpoint.
    public var introspectionEndpointAuthMethods: [String]
    /// The signing algorithms of ID tokens.
    public var idTokenSigningAlgorithms: [String]
    /// The supported `code_challenge_method` values (RFC 7636).
    public var codeChallengeMethods: [String]
    /// True if authorization responses carry `iss` (RFC 9207).
    public var answersWithIssuer: Bool?
    /// Members without a property here; one that has a property is ignored.
    public var additional: [String: JSONValue]

    /// Makes the metadata of an issuer without endpoints; properties are set one by one.
    public init(issuer: String, responseTypes: [String] = []) {
        self.issuer = issuer
        self.responseTypes = responseTypes
        responseModes = []
        grantTypes = []
        scopes = []
        claims = []
        acrValues = []
        subjectTypes = []
        uiLocales = []
        tokenEndpointAuthMethods = []
        revocationEndpointAuthMethods = []
        introspectionEndpointAuthMethods = []
        idTokenSigningAlgorithms = []
        codeChallengeMethods = []
        additional = [:]
    }

    /// The document as JSON; it prints sorted.
    public var json: JSONValue {
        var members = additional
        members["issuer"] = .string(issuer)
        for (name, field) in Self.texts {
            members[name] = self[keyPath: field].map { .string($0) }
        }
        for (name, field) in Self.lists {
            let list = self[keyPath: field]
            members[name] = list.isEmpty ? nil : .array(list.map { .string($0) })
        }
        members["response_types_supported"] = .array(responseTypes.map { .string($0) })
        members["authorization_response_iss_parameter_supported"] = answersWithIssuer.map { .bool($0) }
        return .object(members)
    }

    /// Writes ``json``.
    public func encode(to encoder: any Encoder) throws {
        try json.encode(to: encoder)
    }
}

extension ServerMetadata {
    /// An error for a document with a member that is missing or of a wrong type.
    public struct Invalid: Error, Hashable, Sendable {
        /// The member's name.
        public let member: String
    }

    /// Reads another server's document; members without a property here are kept in ``additional``.
    ///
    /// - Parameter json: The document, already bounded in size.
    /// - Throws: ``Invalid`` if `issuer` is missing or a member is of another type than RFC 8414 §2 says.
    public init(json: JSONValue) throws(Invalid) {
        guard var members = json.object, let issuer = members.removeValue(forKey: "issuer")?.string else {
            throw Invalid(member: "issuer")
        }
        self.init(issuer: issuer)
        for (name, field) in Self.texts {
            guard let value = members.removeValue(forKey: name) else { continue }
            guard let text = value.string else { throw Invalid(member: name) }
            self[keyPath: field] = text
        }
        for (name, field) in Self.lists {
            guard let value = members.removeValue(forKey: name) else { continue }
            guard let list = value.strings else { throw Invalid(member: name) }
            self[keyPath: field] = list
        }
        if let value = members.removeValue(forKey: "authorization_response_iss_parameter_supported") {
            guard let flag = value.bool else {
                throw Invalid(member: "authorization_response_iss_parameter_supported")
            }
            answersWithIssuer = flag
        }
        additional = members
    }

    private static var texts: [(String, WritableKeyPath<Self, String?>)] {
        [
            ("jwks_uri", \.jwksURI),
            ("authorization_endpoint", \.authorizationEndpoint),
            ("token_endpoint", \.tokenEndpoint),
            ("revocation_endpoint", \.revocationEndpoint),
            ("introspection_endpoint", \.introspectionEndpoint),
            ("device_authorization_endpoint", \.deviceAuthorizationEndpoint),
            ("pushed_authorization_request_endpoint", \.pushedAuthorizationRequestEndpoint),
            ("userinfo_endpoint", \.userinfoEndpoint),
            ("end_session_endpoint", \.endSessionEndpoint),
            ("service_documentation", \.serviceDocumentation),
        ]
    }

    private static var lists: [(String, WritableKeyPath<Self, [String]>)] {
        [
            ("response_types_supported", \.responseTypes),
            ("response_modes_supported", \.responseModes),
            ("grant_types_supported", \.grantTypes),
            ("scopes_supported", \.scopes),
            ("claims_supported", \.claims),
            ("acr_values_supported", \.acrValues),
            ("subject_types_supported", \.subjectTypes),
            ("ui_locales_supported", \.uiLocales),
            ("token_endpoint_auth_methods_supported", \.tokenEndpointAuthMethods),
            ("revocation_endpoint_auth_methods_supported", \.revocationEndpointAuthMethods),
            ("introspection_endpoint_auth_methods_supported", \.introspectionEndpointAuthMethods),
            ("id_token_signing_alg_values_supported", \.idTokenSigningAlgorithms),
            ("code_challenge_methods_supported", \.codeChallengeMethods),
        ]
    }
}
