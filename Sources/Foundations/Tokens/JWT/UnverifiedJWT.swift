import Foundation
public import OAuth

/// A JWT that was parsed and not verified yet (RFC 7519, RFC 7515 §7.1).
///
/// It is a type of its own, so that nothing in it can be taken for a fact; only ``JWTVerifier`` makes a ``VerifiedJWT``.
public struct UnverifiedJWT: Sendable {
    /// The longest token, in bytes.
    public static let maxLength = 16_384

    /// The algorithm that the header claims.
    public let alg: String
    /// The key id that the header claims.
    public let kid: String?
    /// The kind of token that the header claims.
    public let typ: String?
    let payload: [UInt8]
    let signature: [UInt8]
    /// The signed bytes: the token up to its last dot.
    let signed: [UInt8]

    /// Reads a token's outer form and its header; the claims are read only where they are needed.
    ///
    /// - Parameter token: Three parts of strict base64url, at most ``maxLength`` bytes.
    /// - Throws: `tooLarge`, `malformed`, or `critical` if it demands an extension (RFC 7515 §4.1.11).
    public init(_ token: String) throws(TokenError) {
        guard token.utf8.count <= Self.maxLength else { throw TokenError(.tooLarge, "the token is too long") }
        let bytes = Array(token.utf8)
        let dots = bytes.indices.filter { bytes[$0] == UInt8(ascii: ".") }
        guard dots.count == 2 else { throw TokenError(.malformed, "the token has not three parts") }
        guard let header = Self.decode(bytes[..<dots[0]]),
            let payload = Self.decode(bytes[(dots[0] + 1)..<dots[1]]),
            let signature = Self.decode(bytes[(dots[1] + 1)...])
        else { throw TokenError(.malformed, "a part of the token is not base64url") }
        let members = try Self.object(header, "header")
        for name in Self.demanding where members[name] != nil {
            throw TokenError(.critical, "the token's header has \(name)")
        }
        for name in Self.foreignKeys where members[name] != nil {
            throw TokenError(.malformed, "the token's header brings its own key in \(name)")
        }
        guard let alg = try Self.text("alg", of: members) else {
            throw TokenError(.malformed, "the token's header has no alg")
        }
        self.alg = alg
        kid = try Self.text("kid", of: members)
        typ = try Self.text("typ", of: members)
        self.payload = payload
        self.signature = signature
        signed = Array(bytes[..<dots[1]])
    }

    /// Reads the unverified claims, which may choose an issuer and must not decide anything else.
    ///
    /// - Returns: The claims by their names.
    /// - Throws: `malformed` if they are not a strict JSON object.
    public func unverifiedClaims() throws(TokenError) -> [String: JSONValue] {
        try Self.object(payload, "claims")
    }

    /// Members that change how the token must be read (RFC 7515 §4.1.11, RFC 7797 §3, RFC 7516 §4.1).
    private static let demanding = ["crit", "b64", "zip", "enc"]
    /// Members by which a token could name the key that proves it; they are never followed (RFC 8725 §3.10).
    private static let foreignKeys = ["jku", "jwk", "x5u", "x5c"]

    private static func decode(_ part: ArraySlice<UInt8>) -> [UInt8]? {
        part.withUnsafeBufferPointer { Base64URL.decode($0) }
    }

    private static func object(_ bytes: [UInt8], _ part: String) throws(TokenError) -> [String: JSONValue] {
        do {
            if let object = try StrictJSON.parse(bytes).object { return object }
        } catch {
            throw TokenError(.malformed, "the token's \(part) is not strict JSON: \(error)")
        }
        throw TokenError(.malformed, "the token's \(part) is no object")
    }

    private static func text(_ name: String, of members: [String: JSONValue]) throws(TokenError) -> String? {
        guard let value = members[name] else { return nil }
        guard let text = value.string, text.utf8.count <= VerificationKey.maxKidLength else {
            throw TokenError(.malformed, "the token's \(name) is no text or too long")
        }
        return text
    }
}
