import Foundation
public import OAuth
import SwiftASN1
import Tokens

/// A custom identity provider that signs statements about users.
public struct StatementSigner: Sendable {
    private let key: SigningKey

    /// The public key in PEM format, which operators enter in their configuration.
    public let pem: String

    /// Creates an identity provider with a new RSA key.
    public init() throws {
        key = try SigningKey.generate(.rs256)
        let jwk = key.publicKey.jwk
        func number(_ name: String) -> ArraySlice<UInt8> {
            ArraySlice(jwk[name]?.string.flatMap { Base64URL.decode($0) } ?? Data())
        }
        var numbers = DER.Serializer()
        try numbers.appendConstructedNode(identifier: .sequence) { numbers in
            try numbers.serialize(number("n"))
            try numbers.serialize(number("e"))
        }
        let bits = ASN1BitString(bytes: numbers.serializedBytes[...])
        var info = DER.Serializer()
        try info.appendConstructedNode(identifier: .sequence) { info in
            try info.appendConstructedNode(identifier: .sequence) { algorithm in
                try algorithm.serialize([1, 2, 840, 113_549, 1, 1, 1] as ASN1ObjectIdentifier)
                try algorithm.serialize(ASN1Null())
            }
            try info.serialize(bits)
        }
        pem = PEMDocument(type: "PUBLIC KEY", derBytes: info.serializedBytes).pemString
    }

    /// Returns a signed JWT that states these claims.
    ///
    /// - Parameters:
    ///   - claims: The claims.
    ///   - isNamed: Whether the JWT's header has a `kid`. The JWTs in the guides' samples have none.
    /// - Returns: The JWT.
    /// - Throws: An error if the key cannot sign.
    public func statement(_ claims: [String: JSONValue], isNamed: Bool = true) throws -> String {
        if isNamed { return try TokenMinter.mint(typ: .jwt, claims: claims, with: key).reveal() }
        let header = Base64URL.encode(Array(#"{"alg":"RS256"}"#.utf8))
        let text = header + "." + Base64URL.encode(JSONValue.object(claims).bytes)
        return text + "." + Base64URL.encode(try key.sign(Array(text.utf8)))
    }
}
