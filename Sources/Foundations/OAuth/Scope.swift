/// One `scope-token`, such as `tasks.read` (RFC 6749 §3.3).
public struct Scope: Hashable, Sendable, Comparable, Codable, CustomStringConvertible {
    /// The longest scope, in bytes.
    public static let maxLength = 256
    /// The most scopes in one list.
    public static let maxCount = 64

    /// Asks for an ID token (OpenID Connect Core §3.1.2.1).
    public static let openid = Scope(known: "openid")
    /// Asks for a refresh token (OpenID Connect Core §11).
    public static let offlineAccess = Scope(known: "offline_access")
    /// Asks for the claims about the person (OpenID Connect Core §5.4).
    public static let profile = Scope(known: "profile")
    /// Asks for the e-mail address (OpenID Connect Core §5.4).
    public static let email = Scope(known: "email")

    /// The text as on the wire; case matters.
    public let name: String

    /// Reads one scope.
    ///
    /// - Parameter text: 1 to ``maxLength`` of the characters RFC 6749 §3.3 allows.
    /// - Throws: `invalid_scope` if `text` is anything else.
    public init(_ text: String) throws(OAuthError) {
        guard (1...Self.maxLength).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else {
            throw .invalidScope("a scope is empty, too long or has a character that no scope may have")
        }
        name = text
    }

    private init(known: String) {
        name = known
    }

    /// Reads a list as requests have it: scopes with single spaces between them (RFC 6749 §3.3).
    ///
    /// - Parameter text: At most ``maxCount`` scopes.
    /// - Returns: The scopes in their order, without repetitions; none for an empty text.
    /// - Throws: `invalid_scope` if `text` is no such list.
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

    /// Reads the text again that ``encode(to:)`` wrote, with the same rules as a request's.
    public init(from decoder: any Decoder) throws {
        try self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes ``name``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }

    /// The text as on the wire.
    public var description: String { name }

    /// Orders by the text.
    public static func < (a: Scope, b: Scope) -> Bool { a.name < b.name }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte == 0x21 || (0x23...0x5B).contains(byte) || (0x5D...0x7E).contains(byte)
    }
}

extension Sequence where Element == Scope {
    /// The list as on the wire, in this order.
    public var scopeText: String { map(\.name).joined(separator: " ") }
}
