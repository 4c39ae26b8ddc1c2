import Foundation
import Moments
import OAuth
import Testing
import Tokens

@Suite(.timeLimit(.minutes(2)))
struct JWTVerifierTests {
    @Test("a valid token is accepted, with every algorithm", arguments: SigningAlgorithm.allCases)
    func honest(_ alg: SigningAlgorithm) throws {
        let forge = try Forge(alg)
        let token = try TokenMinter.mint(typ: .accessToken, claims: forge.claims, with: forge.key)
        let verified = try JWTVerifier.verify(
            token.reveal(),
            keys: { _ in forge.key.publicKey },
            expected: forge.expectations()
        )
        #expect(verified.issuer == Forge.issuer)
        #expect(verified.audiences == [Forge.audience])
        #expect(verified.subject == "s")
        #expect(verified.clientID == "c")
        #expect(verified.id == "j")
        #expect(verified.issuedAt == forge.now.seconds)
        #expect(verified.expiresAt == forge.now.seconds + 3600)
        #expect(verified.scopes.scopeText == "tasks.read tasks.write")
        #expect(verified.kid == forge.key.kid)
        #expect(verified.alg == alg)
        #expect(verified["jti"] == "j")
        #expect(verified.string("iat") == nil)
    }

    @Test("RFC 7515 A.1 and A.2: tokens without a key id, or with an unsupported algorithm, are rejected")
    func vectors()
        throws
    {
        let forge = try Forge()
        #expect(forge.refusal(Vectors.a1) == .unknownKey)
        #expect(forge.refusal(Vectors.a2) == .unknownKey)
        #expect(forge.refusal(Vectors.cookbookToken) == .unknownKey)
    }

    // Each token in the following tests is accepted by some implementation in use.

    @Test(
        "a valid signature under another alg, or none, is rejected",
        arguments: ["none", "None", "HS256", "ES384", "RS256", "es256", ""]
    )
    func algorithm(_ alg: String) throws {
        let forge = try Forge()
        let header = forge.header.merging(["alg": .string(alg)]) { $1 }
        #expect(forge.refusal(try forge.token(header: header)) == .algorithmMismatch)
    }

    @Test("a header without alg, or with an alg that is not a string, is rejected") func noAlg() throws {
        let forge = try Forge()
        #expect(forge.refusal(try forge.token(header: forge.header.filter { $0.key != "alg" })) == .malformed)
        #expect(forge.refusal(try forge.token(header: forge.header.merging(["alg": 1]) { $1 })) == .malformed)
    }

    @Test("a public key is not used as a shared secret (RFC 8725 §2.1)") func confusion() throws {
        let forge = try Forge(.rs256)
        let header = Base64URL.encode(JSONValue.object(forge.header.merging(["alg": "HS256"]) { $1 }).bytes)
        let signed = header + "." + Base64URL.encode(JSONValue.object(forge.claims).bytes)
        #expect(forge.refusal(signed + "." + Base64URL.encode(Array(repeating: 7, count: 32))) == .algorithmMismatch)
    }

    @Test("an unknown or missing kid does not fall back to another key") func kid() throws {
        let forge = try Forge()
        #expect(forge.refusal(try forge.token(header: forge.header.merging(["kid": "other"]) { $1 })) == .unknownKey)
        #expect(forge.refusal(try forge.token(header: forge.header.filter { $0.key != "kid" })) == .unknownKey)
        #expect(forge.refusal(try forge.token(header: forge.header.merging(["kid": 1]) { $1 })) == .malformed)
        let token = try UnverifiedJWT(try forge.token(header: forge.header.merging(["kid": "other"]) { $1 }))
        let error = #expect(throws: TokenError.self) {
            try JWTVerifier.verify(token, key: forge.key.publicKey, expected: forge.expectations())
        }
        #expect(error?.code == .unknownKey)
    }

    @Test(
        "a header that requires an extension is rejected (RFC 7515 §4.1.11)",
        arguments: ["crit", "b64", "zip", "enc"]
    )
    func critical(_ name: String) throws {
        let forge = try Forge()
        for value in [["exp"], [], false, nil] as [JSONValue] {
            #expect(forge.refusal(try forge.token(header: forge.header.merging([name: value]) { $1 })) == .critical)
        }
    }

    @Test("a header that contains or refers to a key is rejected", arguments: ["jku", "jwk", "x5u", "x5c"])
    func ownKey(_ name: String) throws {
        let forge = try Forge()
        let header = forge.header.merging([name: forge.key.publicKey.jwk]) { $1 }
        #expect(forge.refusal(try forge.token(header: header)) == .malformed)
    }

    @Test("other encodings of the same token are rejected") func spelling() throws {
        let forge = try Forge()
        let token = try forge.token()
        #expect(forge.refusal(token) == nil)
        let spellings = [
            token + "=", token + "==", token + "\n", " " + token, token + ".", "." + token,
            token.replacing(".", with: "=.", maxReplacements: 1), token.replacing(".", with: "..", maxReplacements: 1),
            token.replacing(".", with: ".\n", maxReplacements: 1), "Bearer " + token,
        ]
        for spelling in spellings { #expect(forge.refusal(spelling) == .malformed) }
        var slack = token
        let last = slack.removeLast()
        for other in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_" where other != last {
            #expect(forge.refusal(slack + String(other)) != nil)
        }
    }

    @Test("a duplicate member is rejected, in the header and in the claims") func duplicates() throws {
        let forge = try Forge()
        let header = JSONValue.object(forge.header).text
        let claims = JSONValue.object(forge.claims).text
        #expect(
            forge.refusal(try forge.token(header: header.dropLast() + #","alg":"ES256"}"#, payload: claims))
                == .malformed
        )
        #expect(
            forge.refusal(try forge.token(header: header, payload: claims.dropLast() + #","\u0065xp":1}"#))
                == .malformed
        )
    }

    @Test(
        "a time that is not a whole number of seconds is rejected",
        arguments: [
            "1e308", "1795003600.5", "1.795003600e9", "\"1795003600\"", "-1", "253402300800", "9223372036854775807",
            "null", "true",
        ]
    )
    func times(_ text: String) throws {
        let forge = try Forge()
        for name in ["exp", "nbf", "iat", "auth_time"] {
            let claims =
                JSONValue.object(forge.claims.filter { $0.key != name }).text.dropLast() + ",\"\(name)\":\(text)}"
            let token = try forge.token(header: JSONValue.object(forge.header).text, payload: String(claims))
            #expect(forge.refusal(token) == .malformed)
        }
    }

    @Test("every changed character is rejected") func everyFlip() throws {
        let forge = try Forge(.eddsa)
        let token = Array(try forge.token().utf8)
        for index in token.indices {
            for flip in [1, 2, 32] as [UInt8] {
                var other = token
                other[index] ^= flip
                #expect(forge.refusal(String(decoding: other, as: UTF8.self)) != nil)
            }
        }
    }

    @Test("every truncated token is rejected") func everyPrefix() throws {
        let forge = try Forge(.eddsa)
        let token = try forge.token()
        for count in 0..<token.utf8.count { #expect(forge.refusal(String(token.prefix(count))) != nil) }
    }

    @Test("another key with the same id is rejected", arguments: SigningAlgorithm.allCases)
    func badSignature(_ alg: SigningAlgorithm) throws {
        let forge = try Forge(alg)
        let other = try Forge(alg)
        let header = other.header.merging(["kid": .string(forge.key.kid)]) { $1 }
        #expect(forge.refusal(try other.token(header: header)) == .badSignature)
    }

    @Test("an ES256 signature in DER, of zeros, or over other parts is rejected") func oddSignatures() throws {
        let forge = try Forge()
        let parts = try forge.token().split(separator: ".").map(String.init)
        let raw = Array(try #require(Base64URL.decode(parts[2])))
        let der = [0x30, 0x44, 0x02, 0x20] + raw[..<32] + [0x02, 0x20] + raw[32...]
        for signature in [der, Array(repeating: 0, count: 64), raw + raw, []] {
            let token = parts[0] + "." + parts[1] + "." + Base64URL.encode(signature)
            #expect(forge.refusal(token) == .badSignature)
        }
    }

    @Test(
        "typ determines the type of a token (RFC 8725 §3.11)",
        arguments: [
            ("at+jwt", TokenType.accessToken, true), ("AT+JWT", .accessToken, true),
            ("application/at+jwt", .accessToken, true), ("JWT", .accessToken, false), (nil, .accessToken, false),
            ("at+jwt", .jwt, false), ("JWT", .jwt, true), ("jwt", .jwt, true), (nil, .jwt, true),
            ("logout+jwt", .jwt, false), ("", .jwt, false),
        ] as [(String?, TokenType, Bool)]
    )
    func typ(_ typ: String?, _ type: TokenType, _ isRight: Bool) throws {
        let forge = try Forge()
        var header = forge.header
        header["typ"] = typ.map { .string($0) }
        #expect(
            forge.refusal(try forge.token(header: header), forge.expectations(type)) == (isRight ? nil : .wrongType)
        )
    }

    @Test("a token expires at exp plus the allowed leeway") func expiry() throws {
        let forge = try Forge()
        let token = try forge.token()
        let end = forge.now.advanced(by: .seconds(3600))
        let before = end.advanced(by: .milliseconds(-1))
        #expect(forge.refusal(token, forge.expectations(at: before)) == nil)
        #expect(forge.refusal(token, forge.expectations(at: end)) == .expired)
        #expect(forge.refusal(token, forge.expectations(at: end, leeway: 60)) == nil)
        let late = end.advanced(by: .seconds(60))
        #expect(forge.refusal(token, forge.expectations(at: late, leeway: 60)) == .expired)
    }

    @Test("a token is valid from nbf minus the allowed leeway") func notBefore() throws {
        let forge = try Forge()
        let token = try forge.token(claims: forge.claims.merging(["nbf": .int(forge.now.seconds + 30)]) { $1 })
        #expect(forge.refusal(token) == .notYetValid)
        #expect(forge.refusal(token, forge.expectations(leeway: 29)) == .notYetValid)
        #expect(forge.refusal(token, forge.expectations(leeway: 30)) == nil)
    }

    @Test(
        "wrong and missing claims are rejected",
        arguments: [
            ("iss", "http://localhost:8420/b2c_1_sign_in/v2.0", TokenError.Code.wrongIssuer), ("iss", 1, .wrongIssuer),
            ("iss", nil, .missingClaim), ("aud", "other", .wrongAudience), ("aud", [], .wrongAudience),
            ("aud", ["a", 1], .malformed), ("aud", 1, .malformed), ("aud", nil, .missingClaim),
            ("exp", nil, .missingClaim), ("iat", nil, .missingClaim), ("sub", nil, .missingClaim),
            ("sub", "", .missingClaim), ("sub", 1, .missingClaim), ("jti", nil, .missingClaim),
            ("client_id", nil, .missingClaim),
        ] as [(String, JSONValue?, TokenError.Code)]
    )
    func claims(_ name: String, _ value: JSONValue?, _ code: TokenError.Code) throws {
        let forge = try Forge()
        var claims = forge.claims
        claims[name] = value
        #expect(forge.refusal(try forge.token(claims: claims)) == code)
    }

    @Test("one of several audiences suffices, and one of several issuers") func several() throws {
        let forge = try Forge()
        let claims = forge.claims.merging(["aud": ["other", .string(Forge.audience)]]) { $1 }
        #expect(forge.refusal(try forge.token(claims: claims)) == nil)
        let expected = Expectations(
            type: .accessToken,
            issuers: ["http://other", Forge.issuer],
            audiences: [Forge.audience],
            now: forge.now
        )
        #expect(forge.refusal(try forge.token(), expected) == nil)
        let nobody = Expectations(type: .accessToken, issuers: [], audiences: [Forge.audience], now: forge.now)
        #expect(forge.refusal(try forge.token(), nobody) == .wrongIssuer)
    }

    @Test("an ID token needs no client_id and no jti") func idToken() throws {
        let forge = try Forge()
        let claims = forge.claims.filter { !["client_id", "jti", "scope"].contains($0.key) }
        let token = try TokenMinter.mint(typ: .jwt, claims: claims, with: forge.key).reveal()
        #expect(forge.refusal(token, forge.expectations(.jwt)) == nil)
        #expect(forge.refusal(token) == .wrongType)
    }

    @Test("a token of more than 16 KiB is rejected before it is parsed") func size() throws {
        let forge = try Forge()
        let claims = forge.claims.merging(["x": .string(String(repeating: "x", count: 13_000))]) { $1 }
        #expect(forge.refusal(try forge.token(claims: claims)) == .tooLarge)
        #expect(forge.refusal(String(repeating: ".", count: 16_384)) == .malformed)
        let error = #expect(throws: TokenError.self) {
            try TokenMinter.mint(typ: .jwt, claims: claims, with: forge.key)
        }
        #expect(error?.code == .tooLarge)
    }

    @Test(
        "a payload that is not an object, or nested too deeply, is rejected",
        arguments: [
            "[]", "1", "", "{", "\u{FEFF}{}",
            "{\"a\":" + String(repeating: "[", count: 32) + String(repeating: "]", count: 32) + "}",
        ]
    )
    func payload(_ payload: String) throws {
        let forge = try Forge()
        let token = try forge.token(header: JSONValue.object(forge.header).text, payload: payload)
        #expect(forge.refusal(token) == .malformed)
    }

    @Test("the unverified issuer can be read to select the keys") func unverified() throws {
        let forge = try Forge()
        let token = try UnverifiedJWT(try forge.token())
        #expect(try token.unverifiedClaims()["iss"]?.string == Forge.issuer)
        #expect(token.kid == forge.key.kid)
        #expect(token.typ == "at+jwt")
    }

    @Test("no error contains the token") func errorsAreSilent() throws {
        let forge = try Forge()
        let token = try forge.token(claims: forge.claims.merging(["iss": "planted"]) { $1 })
        let error = #expect(throws: TokenError.self) {
            try JWTVerifier.verify(token, keys: { _ in forge.key.publicKey }, expected: forge.expectations())
        }
        #expect(error?.description == "wrongIssuer: iss is not an expected issuer")
    }
}
