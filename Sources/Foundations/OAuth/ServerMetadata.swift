/// The metadata of an issuer (RFC 8414 §2, OpenID Connect Discovery §3), as JSON without empty members (RFC 8414 §3.2).
public struct ServerMetadata: Hashable, Sendable, Encodable {
    /// The issuer identifier, identical byte for byte to `iss` in the issuer's tokens.
    public var issuer: String
    /// The URL of the JWK set (RFC 7517 §5).
    public var jwksURI: String?
    /// The URL of the authorization endpoint, which browsers open (RFC 6749 §3.1).
    public var authorizationEndpoint: String?
    /// The URL of the token endpoint (RFC 6749 §3.2).
    public var tokenEndpoint: String?
    /// The URL of the revocation endpoint (RFC 7009).
    public var revocationEndpoint: String?
    /// The URL of the introspection endpoint, which resource servers call (RFC 7662).
    public var introspectionEndpoint: String?
    /// The URL of the device authorization endpoint (RFC 8628).
    public var deviceAuthorizationEndpoint: String?
    /// The URL of the pushed authorization request endpoint (RFC 9126).
    public var pushedAuthorizationRequestEndpoint: String?
    /// The URL of the UserInfo endpoint (OpenID Connect Core §5.3).
    public var userinfoEndpoint: String?
    /// The URL of the end session endpoint, which browsers open when the user signs out.
    public var endSessionEndpoint: String?
    /// The URL of the developer documentation.
    public var serviceDocumentation: String?
    /// The supported `response_type` values, which are included even if empty, because RFC 8414 §2 requires them.
    public var responseTypes: [String]
    /// The supported `response_mode` values.
    public var responseModes: [String]
    /// The supported `grant_type` values.
    public var grantTypes: [String]
    /// The supported scopes.
    public var scopes: [String]
    /// The claims that tokens can contain.
    public var claims: [String]
    /// The supported authentication contexts (`acr`).
    public var acrValues: [String]
    /// The supported subject types (OpenID Connect Core §8).
    public var subjectTypes: [String]
    /// The languages that the pages are available in.
    public var uiLocales: [String]
    /// The client authentication methods that the token endpoint supports.
    public var tokenEndpointAuthMethods: [String]
    /// The client authentication methods that the revocation endpoint supports.
    public var revocationEndpointAuthMethods: [String]
    /// The client authentication methods that the introspection endpoint supports.
    public var introspectionEndpointAuthMethods: [String]
    /// The algorithms that can be used to sign ID tokens.
    public var idTokenSigningAlgorithms: [String]
    /// The supported `code_challenge_method` values (RFC 7636).
    public var codeChallengeMethods: [String]
    /// Whether authorization responses contain `iss` (RFC 9207), or `nil` if the metadata does not specify this.
    public var answersWithIssuer: Bool?
    /// Additional members of the JSON document, ignored if this type has a property for the same member.
    public var additional: [String: JSONValue]

    /// Creates the metadata of an issuer, without endpoints.
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

    /// The metadata document as a JSON object.
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

    /// Encodes the metadata document.
    public func encode(to encoder: any Encoder) throws {
        try json.encode(to: encoder)
    }
}

extension ServerMetadata {
    /// An error that is thrown if a member of a metadata document is missing or has the wrong type.
    public struct Invalid: Error, Hashable, Sendable {
        /// The name of the member that is missing or has the wrong type.
        public let member: String
    }

    /// Parses the metadata document of another server, whose length the caller must limit.
    ///
    /// Members for which this type has no property are stored in ``additional``.
    ///
    /// - Throws: ``Invalid`` if `issuer` is missing or a member does not have the type that RFC 8414 §2 requires.
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
