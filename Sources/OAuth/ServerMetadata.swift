/// What an issuer says about itself (RFC 8414 §2, OpenID Connect Discovery §3).
///
/// A member that is nil or an empty list is left out (RFC 8414 §3.2).
public struct ServerMetadata: Hashable, Sendable, Encodable {
    /// Who signs; equal to `iss` of its tokens, byte for byte.
    public var issuer: String
    /// Where the keys are.
    public var jwksURI: String?
    /// Where browsers go.
    public var authorizationEndpoint: String?
    /// Where grants become tokens.
    public var tokenEndpoint: String?
    /// Where tokens are ended (RFC 7009).
    public var revocationEndpoint: String?
    /// Where tokens are looked up (RFC 7662).
    public var introspectionEndpoint: String?
    /// Where devices without a keyboard begin (RFC 8628).
    public var deviceAuthorizationEndpoint: String?
    /// Where requests are pushed (RFC 9126).
    public var pushedAuthorizationRequestEndpoint: String?
    /// Where the claims about the person are.
    public var userinfoEndpoint: String?
    /// Where sessions end.
    public var endSessionEndpoint: String?
    /// Where a person reads about it.
    public var serviceDocumentation: String?
    /// `response_type` values; required, and so never left out.
    public var responseTypes: [String]
    /// `response_mode` values.
    public var responseModes: [String]
    /// `grant_type` values.
    public var grantTypes: [String]
    /// Scopes.
    public var scopes: [String]
    /// Claims.
    public var claims: [String]
    /// Authentication contexts.
    public var acrValues: [String]
    /// Kinds of subject.
    public var subjectTypes: [String]
    /// Languages of the pages.
    public var uiLocales: [String]
    /// How clients prove themselves at the token endpoint.
    public var tokenEndpointAuthMethods: [String]
    /// How clients prove themselves at the revocation endpoint.
    public var revocationEndpointAuthMethods: [String]
    /// How clients prove themselves at the introspection endpoint.
    public var introspectionEndpointAuthMethods: [String]
    /// Algorithms of ID tokens.
    public var idTokenSigningAlgorithms: [String]
    /// Methods of proof keys (RFC 7636).
    public var codeChallengeMethods: [String]
    /// Whether answers carry `iss` (RFC 9207).
    public var answersWithIssuer: Bool?
    /// Members that have no field here; one that has a field is ignored.
    public var additional: [String: JSONValue]

    /// The metadata of an issuer that does nothing yet; fields are set one by one.
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

    /// The document; it prints sorted.
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
    /// Why a document is no metadata: the member that is missing or of a wrong type.
    public struct Invalid: Error, Hashable, Sendable {
        /// The member's name.
        public let member: String
    }

    /// Reads another server's document; what it says that has no field here stays in ``additional``.
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
