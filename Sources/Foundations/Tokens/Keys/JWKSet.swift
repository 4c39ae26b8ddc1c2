import Foundation
public import OAuth

/// The public keys of one issuer (RFC 7517 §5).
public struct JWKSet: Sendable, Hashable {
    /// The longest document, in bytes.
    public static let maxLength = 65_536
    /// The most keys in a document, usable or not.
    public static let maxKeys = 64

    /// The usable keys.
    public let keys: [VerificationKey]
    private let byKid: [String: VerificationKey]

    /// Makes a set of keys; of several with one id the first counts.
    public init(keys: [VerificationKey]) {
        self.keys = keys
        byKid = Dictionary(keys.map { ($0.kid, $0) }) { first, _ in first }
    }

    /// Reads a document and leaves out unusable keys, so that an issuer may publish kinds of keys that are unknown here
    /// (RFC 7517 §5).
    ///
    /// - Parameter bytes: The document, at most ``maxLength`` bytes and ``maxKeys`` keys.
    /// - Returns: The set, which may be empty.
    /// - Throws: `tooLarge`, or `malformed` if it is not a JWK Set.
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

    /// Returns the key with that id.
    public func key(kid: String) -> VerificationKey? { byKid[kid] }

    /// The document as JSON.
    public var json: JSONValue { ["keys": .array(keys.map(\.jwk))] }

    /// The document as UTF-8.
    public var bytes: [UInt8] { json.bytes }
}
