/// A Bearer challenge of a `WWW-Authenticate` field: what a resource server asks of the next request (RFC 6750 §3).
public struct WWWAuthenticate: Hashable, Sendable, CustomStringConvertible {
    /// The part of the server that is protected.
    public var realm: String?
    /// Why the token was refused; nil if there was none, and for a code that is not registered.
    public var error: OAuthError.Code?
    /// One sentence for the client's developer.
    public var errorDescription: String?
    /// The scopes that are needed.
    public var scopes: [Scope]
    /// The authentication contexts that are needed, one of them (RFC 9470 §3).
    public var acrValues: [String]
    /// How many seconds ago the person may have signed in at most (RFC 9470 §3).
    public var maxAge: Int64?
    /// Where the resource describes itself (RFC 9728 §5.1).
    public var resourceMetadata: String?

    /// A challenge; without any argument it only says that a token is needed.
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

    /// The challenge that answers `error`.
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

    /// Only the characters that `error_description` may have (RFC 6750 §3), so that no value can end its quotation.
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
