import OAuth
import Testing
import Tokens

@Suite(.timeLimit(.minutes(2)))
struct JWKSetTests {
    @Test("RFC 7517 A.1: the signature key is used, and the encryption key ignored") func example() throws {
        let set = try JWKSet.parse(Vectors.keySet.bytes)
        #expect(set.keys.map(\.kid) == ["2011-04-29"])
        #expect(set.key(kid: "2011-04-29")?.alg == .rs256)
        #expect(set.key(kid: "1") == nil)
    }

    @Test("keys of unsupported types do not affect the others") func lenientPerKey() throws {
        let good = try SigningKey.generate(.es256).publicKey
        let document: JSONValue = [
            "keys": [
                ["kty": "oct", "k": "AAAA", "kid": "1"], ["kty": "EC", "crv": "secp256k1", "alg": "ES256K"],
                ["kty": "RSA", "alg": "RSA-OAEP-256", "n": "AA", "e": "AQAB"], "text", 1, nil, [:],
                ["kty": "AKP", "alg": "ML-DSA-44", "pub": "AA"], good.jwk,
            ],
            "other": 1,
        ]
        #expect(try JWKSet.parse(document.bytes).keys == [good])
    }

    @Test("a key without alg is bound to the algorithm of its type") func withoutAlg() throws {
        var jwk = try #require(Vectors.a2Key.object)
        jwk["kid"] = "k"
        let set = try JWKSet.parse(JSONValue.object(["keys": [.object(jwk)]]).bytes)
        #expect(set.key(kid: "k")?.alg == .rs256)
    }

    @Test("of two keys with one id the first is used") func duplicates() throws {
        let keys = try (0..<2).map { _ in
            try #require(try SigningKey.generate(.es256).publicKey.jwk.object).merging(["kid": "k"]) { $1 }
        }
        let set = try JWKSet.parse(JSONValue.object(["keys": .array(keys.map { .object($0) })]).bytes)
        #expect(set.key(kid: "k")?.jwk == .object(keys[0]))
    }

    @Test("a written set is read back unchanged") func roundTrip() throws {
        let keys = try SigningAlgorithm.allCases.map { try SigningKey.generate($0).publicKey }
        let set = JWKSet(keys: keys)
        #expect(try JWKSet.parse(set.bytes) == set)
        #expect(!set.json.text.contains("\"d\""))
    }

    @Test(
        "an invalid set is rejected",
        arguments: [
            ("", TokenError.Code.malformed), ("[]", .malformed), ("{}", .malformed), (#"{"keys":{}}"#, .malformed),
            (#"{"keys":[],"keys":[]}"#, .malformed),
            (#"{"keys":["# + Array(repeating: "1", count: 65).joined(separator: ",") + "]}", .tooLarge),
            (#"{"keys":[]}"# + String(repeating: " ", count: 65_536), .tooLarge),
        ]
    )
    func refused(_ text: String, _ code: TokenError.Code) {
        let error = #expect(throws: TokenError.self) { try JWKSet.parse(text.utf8) }
        #expect(error?.code == code)
    }

    @Test("64 keys are accepted") func limit() throws {
        let text = #"{"keys":["# + Array(repeating: "1", count: 64).joined(separator: ",") + "]}"
        #expect(try JWKSet.parse(text.utf8).keys.isEmpty)
    }
}
