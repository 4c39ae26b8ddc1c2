import Foundation
public import OAuth

/// The public keys of one issuer (RFC 7517 §5).
public struct JWKSet: Sendable, Hashable {
    /// The maximum length of a JWK Set document, in bytes.
    public static let maxLength = 65_536
    /// The maximum number of keys in a JWK Set document, including unusable keys.
    public static let maxKeys = 64

    /// The usable keys, in document order.
    public let keys: [VerificationKey]
    private let byKid: [String: VerificationKey]

    /// Creates a set in which ``key(kid:)`` returns the first of several keys with the same id.
    public init(keys: [VerificationKey]) {
        self.keys = keys
        byKid = Dictionary(keys.map { ($0.kid, $0) }) { first, _ in first }
    }

    /// Parses a JWK Set document and ignores unusable keys (RFC 7517 §5).
    ///
    /// - Throws: `tooLarge` if ``maxLength`` or ``maxKeys`` is exceeded, or `malformed` if this is not a JWK Set.
    public static func parse(_ bytes: some Collection<UInt8>) throws(TokenError) -> JWKSet {
        guard bytes.count <= maxLength else { throw TokenError(.tooLarge, "the key set is too long") }
        let document: JSONValue
        do {
            document = try StrictJSON.parse(bytes)
        } catch {
            throw TokenError(.malformed, "the key set is not JSON: \(error)")
        }
        guard let list = document["keys"]?.array else {
            throw TokenError(.malformed, "the key set has no list of keys")
        }
        guard list.count <= maxKeys else { throw TokenError(.tooLarge, "the key set has more than \(maxKeys) keys") }
        return JWKSet(keys: list.compactMap { try? VerificationKey(jwk: $0) })
    }

    /// Returns the key with the given id, or `nil` if there is no such key.
    public func key(kid: String) -> VerificationKey? { byKid[kid] }

    /// The JWK Set as a JSON value.
    public var json: JSONValue { ["keys": .array(keys.map(\.jwk))] }

    /// The JWK Set as JSON text in UTF-8.
    public var bytes: [UInt8] { json.bytes }
}
