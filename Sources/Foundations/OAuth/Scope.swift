/// A single scope, such as `tasks.read` (`scope-token` in RFC 6749 §3.3).
public struct Scope: Hashable, Sendable, Comparable, Codable, CustomStringConvertible {
    /// The maximum length of a scope, in bytes.
    public static let maxLength = 256
    /// The maximum number of scopes in a list.
    public static let maxCount = 64

    /// The scope that requests an ID token (OpenID Connect Core §3.1.2.1).
    public static let openid = Scope(known: "openid")
    /// The scope that requests a refresh token (OpenID Connect Core §11).
    public static let offlineAccess = Scope(known: "offline_access")
    /// The scope that requests the profile claims (OpenID Connect Core §5.4).
    public static let profile = Scope(known: "profile")
    /// The scope that requests the e-mail address (OpenID Connect Core §5.4).
    public static let email = Scope(known: "email")

    /// The case-sensitive scope, as it appears in requests and responses.
    public let name: String

    /// Parses 1 to ``maxLength`` characters that RFC 6749 §3.3 allows, or throws `invalid_scope`.
    public init(_ text: String) throws(OAuthError) {
        guard (1...Self.maxLength).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else {
            throw .invalidScope("a scope is empty, too long or contains an invalid character")
        }
        name = text
    }

    private init(known: String) {
        name = known
    }

    /// Parses scopes that are separated by single spaces, and removes duplicates (RFC 6749 §3.3).
    ///
    /// - Throws: `invalid_scope` if `text` is not a list of at most ``maxCount`` scopes. An empty list is accepted.
    public static func list(_ text: String) throws(OAuthError) -> [Scope] {
        if text.isEmpty { return [] }
        let parts = text.utf8.split(separator: UInt8(ascii: " "), maxSplits: maxCount, omittingEmptySubsequences: false)
        guard parts.count <= maxCount else { throw .invalidScope("more than \(maxCount) scopes") }
        var scopes: [Scope] = []
        for part in parts {
            let scope = try Scope(String(Substring(part)))
            if !scopes.contains(scope) { scopes.append(scope) }
        }
        return scopes
    }

    /// Decodes a scope from a string, which is validated like a scope in a request.
    public init(from decoder: any Decoder) throws {
        try self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the scope as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }

    /// The scope as it appears in requests and responses.
    public var description: String { name }

    /// Orders scopes by name.
    public static func < (a: Scope, b: Scope) -> Bool { a.name < b.name }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte == 0x21 || (0x23...0x5B).contains(byte) || (0x5D...0x7E).contains(byte)
    }
}

extension Sequence where Element == Scope {
    /// The names of the scopes in the order of the sequence, separated by spaces.
    public var scopeText: String { map(\.name).joined(separator: " ") }
}
