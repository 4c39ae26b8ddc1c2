/// A Bearer challenge, in which a resource server states its requirements for the next request (RFC 6750 §3).
public struct WWWAuthenticate: Hashable, Sendable, CustomStringConvertible {
    /// The protection space (RFC 9110 §11.5).
    public var realm: String?
    /// The error code, or `nil` if the request had no token or the server sent an unregistered code.
    public var error: OAuthError.Code?
    /// A sentence that explains the error to the client's developer.
    public var errorDescription: String?
    /// The scopes that the next request's token must have.
    public var scopes: [Scope]
    /// The authentication contexts (`acr`) that the server accepts, or an empty array for any context (RFC 9470 §3).
    public var acrValues: [String]
    /// The maximum age of the user's authentication in seconds, or `nil` for any age (RFC 9470 §3).
    public var maxAge: Int64?
    /// The URL of the resource metadata (RFC 9728 §5.1).
    public var resourceMetadata: String?

    /// Creates a challenge that by default requires a token, but no particular scope or authentication.
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

    /// Creates a challenge that reports `error`.
    public init(_ error: OAuthError, realm: String? = nil, scopes: [Scope] = []) {
        self.init(realm: realm, error: error.code, errorDescription: error.description, scopes: scopes)
    }

    /// Parses the first Bearer challenge in a `WWW-Authenticate` field (RFC 9110 §11.6.1).
    ///
    /// Returns `nil` if there is none, if it is invalid, or if the field is malformed or longer than 4 KiB.
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

    /// The value of the `WWW-Authenticate` field.
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

    /// Replaces the characters that RFC 6750 §3 forbids in `error_description`, such as quotation marks.
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

/// A parser for the value of a `WWW-Authenticate` field (RFC 9110 §11.2 to §11.6).
struct ChallengeScanner {
    /// The maximum length of a field, in bytes.
    static let maxLength = 4096

    private let bytes: [UInt8]
    private var at = 0

    /// Returns the parameters of the first Bearer challenge, keyed by their names in lower case.
    ///
    /// Returns `nil` if there is no such challenge or the field is invalid.
    static func bearerParameters(_ field: String) -> [String: String]? {
        guard field.utf8.count <= maxLength else { return nil }
        var scanner = ChallengeScanner(bytes: Array(field.utf8))
        return scanner.firstBearer()
    }

    private mutating func firstBearer() -> [String: String]? {
        while at < bytes.count {
            skip { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
            guard let scheme = token() else { return nil }
            guard let parameters = parameters() else { return nil }
            if scheme.lowercased() == "bearer" { return parameters }
        }
        return nil
    }

    /// Parses the parameters of one challenge, or returns `nil` if a parameter is malformed or repeated.
    private mutating func parameters() -> [String: String]? {
        var parameters: [String: String] = [:]
        while true {
            let before = at
            skip { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
            if at == bytes.count { return parameters }
            guard at > before else { return nil }
            let start = at
            if parameters.isEmpty, skipToken68() { continue }
            at = start
            guard let name = token() else { return nil }
            skipSpace()
            guard at < bytes.count, bytes[at] == UInt8(ascii: "=") else {
                at = start
                return parameters
            }
            guard let value = value(), parameters.updateValue(value, forKey: name.lowercased()) == nil else {
                return nil
            }
        }
    }

    private mutating func value() -> String? {
        at += 1
        skipSpace()
        return quoted() ?? token()
    }

    private mutating func quoted() -> String? {
        let start = at
        guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") else { return nil }
        at += 1
        var text: [UInt8] = []
        while at < bytes.count {
            let byte = bytes[at]
            at += 1
            if byte == UInt8(ascii: "\"") { return String(validating: text, as: UTF8.self) }
            if byte == UInt8(ascii: "\\"), at < bytes.count {
                text.append(bytes[at])
                at += 1
            } else {
                text.append(byte)
            }
        }
        at = start
        return nil
    }

    private mutating func token() -> String? {
        let start = at
        skip(while: Self.isTokenCharacter)
        return at == start ? nil : String(decoding: bytes[start..<at], as: UTF8.self)
    }

    /// Skips a token68, or returns `false` if there is none.
    ///
    /// Only a `/` or a final `=` distinguishes a token68 from the name of a scheme.
    private mutating func skipToken68() -> Bool {
        let start = at
        skip { Self.isTokenCharacter($0) || $0 == UInt8(ascii: "/") }
        let bodyEnd = at
        skip { $0 == UInt8(ascii: "=") }
        let end = at
        skipSpace()
        let isWhole = at == bytes.count || bytes[at] == UInt8(ascii: ",")
        return isWhole && (end > bodyEnd || bytes[start..<bodyEnd].contains(UInt8(ascii: "/")))
    }

    private mutating func skipSpace() {
        skip { $0 == 0x20 || $0 == 0x09 }
    }

    private mutating func skip(while condition: (UInt8) -> Bool) {
        while at < bytes.count, condition(bytes[at]) { at += 1 }
    }

    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}
