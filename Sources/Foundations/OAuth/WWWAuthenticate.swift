/// A Bearer challenge of a `WWW-Authenticate` field: a resource server's demands on the next request (RFC 6750 §3).
public struct WWWAuthenticate: Hashable, Sendable, CustomStringConvertible {
    /// The protected part of the server.
    public var realm: String?
    /// The code of the refusal; nil if there was no token, and for a code that is not registered.
    public var error: OAuthError.Code?
    /// One sentence for the client's developer.
    public var errorDescription: String?
    /// The required scopes.
    public var scopes: [Scope]
    /// The authentication contexts, one of which is required (RFC 9470 §3).
    public var acrValues: [String]
    /// The most seconds since the person signed in (RFC 9470 §3).
    public var maxAge: Int64?
    /// The URL of the resource's metadata (RFC 9728 §5.1).
    public var resourceMetadata: String?

    /// Makes a challenge; without arguments it only demands a token.
    public init(
        realm: String? = nil,
        error: OAuthError.Code? = nil,
        errorDescription: String? = nil,
        scopes: [Scope] = [],
        acrValues: [String] = [],
        maxAge: Int64? = nil,
        resourceMetadata: String? = nil
    ) {
        self.realm = realm
        self.error = error
        self.errorDescription = errorDescription
        self.scopes = scopes
        self.acrValues = acrValues
        self.maxAge = maxAge
        self.resourceMetadata = resourceMetadata
    }

    /// Makes the challenge that answers `error`.
    public init(_ error: OAuthError, realm: String? = nil, scopes: [Scope] = []) {
        self.init(realm: realm, error: error.code, errorDescription: error.description, scopes: scopes)
    }

    /// Finds the Bearer challenge in a field's value, which may hold challenges of other schemes (RFC 9110 §11.6.1).
    ///
    /// It is nil if there is none, or if the field is malformed, longer than 4 KiB, or repeats a parameter of it.
    public init?(_ field: String) {
        guard let parameters = ChallengeScanner.bearerParameters(field) else { return nil }
        realm = parameters["realm"]
        error = parameters["error"].flatMap(OAuthError.Code.init)
        errorDescription = parameters["error_description"]
        guard let scopes = try? Scope.list(parameters["scope"] ?? "") else { return nil }
        self.scopes = scopes
        acrValues = (parameters["acr_values"] ?? "").split(separator: " ").map(String.init)
        if let text = parameters["max_age"] {
            guard let seconds = Int64(text), seconds >= 0 else { return nil }
            maxAge = seconds
        }
        resourceMetadata = parameters["resource_metadata"]
    }

    /// The field's value.
    public var description: String {
        let parameters: [(String, String?)] = [
            ("realm", realm),
            ("error", error?.rawValue),
            ("error_description", errorDescription),
            ("scope", scopes.isEmpty ? nil : scopes.scopeText),
            ("acr_values", acrValues.isEmpty ? nil : acrValues.joined(separator: " ")),
            ("max_age", maxAge.map { "\($0)" }),
            ("resource_metadata", resourceMetadata),
        ]
        let written = parameters.compactMap { name, value in value.map { "\(name)=\"\(Self.quotable($0))\"" } }
        return written.isEmpty ? "Bearer" : "Bearer " + written.joined(separator: ", ")
    }

    /// Replaces characters that `error_description` may not have (RFC 6750 §3), so that no value can end its quotation.
    private static func quotable(_ text: String) -> String {
        String(
            text.unicodeScalars.map { scalar in
                switch scalar.value {
                case 0x20, 0x21, 0x23...0x5B, 0x5D...0x7E: Character(scalar)
                case 0x22: "'"
                default: "?"
                }
            }
        )
    }
}
