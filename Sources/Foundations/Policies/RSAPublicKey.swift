import Foundation
public import OAuth
import SwiftASN1

/// An RSA public key, written in PEM with the label `PUBLIC KEY` (RFC 7468 §13, RFC 8017 appendix A.1.1).
public struct RSAPublicKey: Hashable, Sendable, Codable {
    /// The minimum length of the modulus, in bytes (RFC 7518 §3.3).
    static let shortest = 256
    /// The maximum length of the modulus, in bytes, because longer keys would only be slower.
    static let longest = 1024

    private let modulus: String
    private let exponent: String

    /// The key as a JWK (RFC 7518 §6.3.1).
    public var jwk: JSONValue {
        ["kty": "RSA", "use": "sig", "alg": "RS256", "n": .string(modulus), "e": .string(exponent)]
    }

    /// Parses a key of 2048 to 8192 bits in PEM, or returns `nil` for any other string.
    public init?(pem: String) {
        let (begin, end) = ("-----BEGIN PUBLIC KEY-----", "-----END PUBLIC KEY-----")
        let text = pem.trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.hasPrefix(begin), text.hasSuffix(end), text.count > begin.count + end.count,
            let der = Data(
                base64Encoded: text.dropFirst(begin.count).dropLast(end.count).filter { !$0.isWhitespace }
            )
        else { return nil }
        guard let (modulus, exponent) = try? Self.numbers(Array(der)),
            (Self.shortest...Self.longest).contains(modulus.count), modulus.first.map({ $0 >= 0x80 }) == true,
            (1...4).contains(exponent.count)
        else { return nil }
        self.modulus = Base64URL.encode(modulus)
        self.exponent = Base64URL.encode(exponent)
    }

    /// Returns the modulus and the exponent in a `SubjectPublicKeyInfo` (RFC 5280 §4.1.2.7), without leading zeros.
    private static func numbers(_ der: [UInt8]) throws -> (modulus: ArraySlice<UInt8>, exponent: ArraySlice<UInt8>) {
        try DER.sequence(DER.parse(der), identifier: .sequence) { info in
            guard let algorithm = info.next() else { throw notRSA }
            let name = try DER.sequence(algorithm, identifier: .sequence) { parts in
                let name = try ASN1ObjectIdentifier(derEncoded: &parts)
                _ = try ASN1Null(derEncoded: &parts)
                return name
            }
            let bits = try ASN1BitString(derEncoded: &info)
            guard name == rsaEncryption, bits.paddingBits == 0 else { throw notRSA }
            return try DER.sequence(DER.parse(bits.bytes), identifier: .sequence) { numbers in
                (try ArraySlice<UInt8>(derEncoded: &numbers), try ArraySlice<UInt8>(derEncoded: &numbers))
            }
        }
    }

    private static let notRSA = ASN1Error.invalidASN1Object(reason: "this is not an RSA key")
    /// The object identifier of the RSA algorithm (RFC 8017 appendix C).
    private static let rsaEncryption: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 1, 1]
}
