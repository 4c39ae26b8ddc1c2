import Foundation
public import OAuth

/// A JWT that was parsed but not yet verified, so its content must not be trusted (RFC 7519, RFC 7515 §7.1).
public struct UnverifiedJWT: Sendable {
    /// The maximum length of a token, in bytes.
    public static let maxLength = 16_384

    /// The unverified algorithm from the header.
    public let alg: String
    /// The unverified key id from the header, or `nil` if there is none.
    public let kid: String?
    /// The unverified type from the header, or `nil` if there is none.
    public let typ: String?
    let payload: [UInt8]
    let signature: [UInt8]
    /// Everything before the last dot of the token.
    let signed: [UInt8]

    /// Splits a token into its three parts and parses the header, but not the claims.
    ///
    /// - Throws: `tooLarge` if the token is longer than ``maxLength``, `malformed` if its parts or its header are
    ///   invalid, or `critical` if it requires an extension (RFC 7515 §4.1.11).
    public init(_ token: String) throws(TokenError) {
        guard token.utf8.count <= Self.maxLength else { throw TokenError(.tooLarge, "the token is too long") }
        let bytes = Array(token.utf8)
        let dots = bytes.indices.filter { bytes[$0] == UInt8(ascii: ".") }
        guard dots.count == 2 else { throw TokenError(.malformed, "the token does not have three parts") }
        guard let header = Self.decode(bytes[..<dots[0]]),
            let payload = Self.decode(bytes[(dots[0] + 1)..<dots[1]]),
            let signature = Self.decode(bytes[(dots[1] + 1)...])
        else { throw TokenError(.malformed, "a part of the token is not base64url") }
        let members = try Self.object(header, "header")
        for name in Self.demanding where members[name] != nil {
            throw TokenError(.critical, "the token's header has \(name)")
        }
        for name in Self.foreignKeys where members[name] != nil {
            throw TokenError(.malformed, "the token's header contains a key in \(name)")
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

    /// Returns the claims, which must not be trusted until the token is verified.
    ///
    /// - Throws: `malformed` if the claims are not a strict JSON object.
    public func unverifiedClaims() throws(TokenError) -> [String: JSONValue] {
        try Self.object(payload, "claims")
    }

    /// Rejected header members that change how a token is processed (RFC 7515 §4.1.11, RFC 7797 §3, RFC 7516 §4.1).
    private static let demanding = ["crit", "b64", "zip", "enc"]
    /// Rejected header members that contain or refer to a key, which must not be trusted (RFC 8725 §3.10).
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
        throw TokenError(.malformed, "the token's \(part) is not an object")
    }

    private static func text(_ name: String, of members: [String: JSONValue]) throws(TokenError) -> String? {
        guard let value = members[name] else { return nil }
        guard let text = value.string, text.utf8.count <= VerificationKey.maxKidLength else {
            throw TokenError(.malformed, "the token's \(name) is not a string or is too long")
        }
        return text
    }
}
