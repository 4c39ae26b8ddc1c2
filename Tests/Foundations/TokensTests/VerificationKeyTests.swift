import Foundation
import OAuth
import Testing
import Tokens

@Suite(.timeLimit(.minutes(2)))
struct VerificationKeyTests {
    private func verifies(_ key: JSONValue, _ token: String) throws -> Bool {
        let parts = token.split(separator: ".")
        let signature = try #require(Base64URL.decode(String(parts[2])))
        return try VerificationKey(jwk: key).verifies(
            signature: signature,
            over: Array((parts[0] + "." + parts[1]).utf8)
        )
    }

    @Test("signatures of RFC 7515 A.2 and A.3, RFC 8037 A.5 and RFC 7520 §4.1 are verified") func signatures() throws {
        #expect(try verifies(Vectors.a2Key, Vectors.a2))
        #expect(try verifies(Vectors.a3Key, Vectors.a3))
        #expect(try verifies(Vectors.ed25519Key, Vectors.ed25519Token))
        #expect(try verifies(Vectors.cookbookKey, Vectors.cookbookToken))
    }

    @Test("no key verifies a signature of another key") func foreign() throws {
        #expect(try !verifies(Vectors.cookbookKey, Vectors.a2))
        #expect(try !verifies(Vectors.a3Key, Vectors.ed25519Token))
        #expect(try !verifies(Vectors.a2Key, Vectors.a1))
        #expect(try !verifies(Vectors.a3Key, Vectors.a1))
    }

    @Test("RFC 8037 A.4: Ed25519 produces the same signature") func ed25519Signature() throws {
        let seed = try #require(Base64URL.decode(Vectors.ed25519Seed))
        let key = try SigningKey(serialized: Secret(bytes: seed), alg: .eddsa)
        let parts = Vectors.ed25519Token.split(separator: ".")
        #expect(Base64URL.encode(try key.sign(Array((parts[0] + "." + parts[1]).utf8))) == parts[2])
        #expect(key.publicKey.jwk["x"] == Vectors.ed25519Key["x"])
    }

    @Test("RFC 7638 §3.1 and RFC 8037 A.3: thumbprints") func thumbprints() throws {
        let rsa: JSONValue = ["kty": "RSA", "n": .string(Vectors.rsaModulus), "e": "AQAB", "kid": "2011-04-29"]
        #expect(try VerificationKey(jwk: rsa).thumbprint == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
        let ed25519 = try VerificationKey(jwk: Vectors.ed25519Key)
        #expect(ed25519.thumbprint == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
        #expect(ed25519.kid == ed25519.thumbprint)
    }

    @Test("a key is restored from its own JWK", arguments: SigningAlgorithm.allCases)
    func roundTrip(_ alg: SigningAlgorithm) throws {
        let key = try SigningKey.generate(alg).publicKey
        let jwk = key.jwk
        #expect(try VerificationKey(jwk: jwk) == key)
        #expect(jwk["use"] == "sig")
        #expect(jwk["alg"] == .string(alg.rawValue))
        #expect(jwk["kid"] == .string(key.kid))
    }

    private static let broken: [(String, JSONValue)] = [
        ("no kty", .null), ("unknown kty", "oct"), ("kty of a wrong type", 1),
    ]

    @Test("a missing or unsupported kty is rejected", arguments: broken) func kty(
        _ reason: String,
        _ kty: JSONValue
    ) {
        #expect(refusal(Vectors.a3Key, ["kty": kty]) == .unusableKey)
    }

    private static let changes: [(String, JSONValue, [String: JSONValue])] = [
        ("use enc", Vectors.a3Key, ["use": "enc"]),
        ("use of a wrong type", Vectors.a3Key, ["use": 1]),
        ("key_ops without verify", Vectors.a3Key, ["key_ops": ["sign"]]),
        ("alg of another type of key", Vectors.a3Key, ["alg": "RS256"]),
        ("alg of a longer hash", Vectors.a2Key, ["alg": "RS512"]),
        ("alg for encryption", Vectors.a2Key, ["alg": "RSA-OAEP-256"]),
        ("another curve", Vectors.a3Key, ["crv": "P-384"]),
        ("a curve for agreement", Vectors.ed25519Key, ["crv": "X25519"]),
        ("a point that is not on the curve", Vectors.a3Key, ["x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEQ"]),
        ("a short coordinate", Vectors.a3Key, ["x": "f83OJ3D2"]),
        ("a padded coordinate", Vectors.a3Key, ["x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU="]),
        ("a missing coordinate", Vectors.a3Key, ["y": nil]),
        ("a private part", Vectors.a3Key, ["d": "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"]),
        ("an empty kid", Vectors.a3Key, ["kid": ""]),
        ("a kid of a wrong type", Vectors.a3Key, ["kid": 1]),
        ("a long kid", Vectors.a3Key, ["kid": .string(String(repeating: "k", count: 257))]),
        ("a modulus of 2040 bits", Vectors.a2Key, ["n": .string(String(repeating: "_", count: 340))]),
        ("an even exponent", Vectors.a2Key, ["e": "AQAA"]),
        ("the exponent 1", Vectors.a2Key, ["e": "AQ"]),
        ("a long exponent", Vectors.a2Key, ["e": "AQAAAAAB"]),
        ("a zero in front of the exponent", Vectors.a2Key, ["e": "AAEAAQ"]),
        ("a huge modulus", Vectors.a2Key, ["n": .string(String(repeating: "_", count: 2000))]),
    ]

    @Test("a key that is not for verification, too weak or malformed is rejected", arguments: changes)
    func refused(_ reason: String, _ key: JSONValue, _ change: [String: JSONValue]) {
        #expect(refusal(key, change) == .unusableKey)
    }

    private func refusal(_ key: JSONValue, _ change: [String: JSONValue]) -> TokenError.Code? {
        let members = (key.object ?? [:]).merging(change) { $1 }.filter { !$0.value.isNull }
        do throws(TokenError) {
            _ = try VerificationKey(jwk: .object(members))
            return nil
        } catch {
            return error.code
        }
    }
}
