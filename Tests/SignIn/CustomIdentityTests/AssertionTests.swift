import FlowModel
import LocalIssuer
import Moments
import OAuth
import TestSupport
import Testing
import Tokens

@testable import CustomIdentity
@testable import Policies

/// Tests assertions that a custom identity provider has signed.
@Suite(.timeLimit(.minutes(2)))
struct AssertionTests {
    private let signer: StatementSigner
    private let realm: AssertionRealm
    private let time = TestClock()

    init() throws {
        signer = try StatementSigner()
        let key = try #require(RSAPublicKey(pem: signer.pem))
        realm = AssertionRealm(name: "badge", issuer: "https://badge.example", publicKey: key)
    }

    private func claims(_ changes: [String: JSONValue?] = [:]) -> [String: JSONValue] {
        var claims: [String: JSONValue] = [
            "iss": "https://badge.example", "sub": "john.lennon", "aud": "https://ours.example",
            "iat": .int(time.now.seconds), "exp": .int(time.now.seconds + 300), "name": "John Lennon",
            "scope": "openid", "dob": "October 9, 1940",
        ]
        for (name, value) in changes { claims[name] = value }
        return claims
    }

    private func read(_ statement: String) throws(TokenError) -> Assertion {
        try Assertion(Secret(statement), of: realm, audiences: ["https://ours.example"], now: time.now)
    }

    @Test("an assertion identifies the user, whatever key id it has") func person() throws {
        for isNamed in [true, false] {
            let assertion = try read(try signer.statement(claims(["jti": "j1"]), isNamed: isNamed))
            #expect(
                assertion.identity
                    == ExternalIdentity(
                        realm: "badge",
                        userName: "john.lennon",
                        displayName: "John Lennon",
                        attributes: ["dob": "October 9, 1940"]
                    )
            )
            #expect(assertion.id == "j1" && assertion.expiresAt == time.now.seconds + 300)
        }
    }

    @Test("an assertion with a wrong issuer, audience, subject or time is rejected") func refused() throws {
        let lies: [([String: JSONValue?], TokenError.Code)] = [
            (["iss": "https://other.example"], .wrongIssuer), (["iss": nil], .missingClaim),
            (["sub": nil], .missingClaim), (["sub": ""], .missingClaim), (["sub": "a\u{202E}b"], .malformed),
            (["sub": 7], .missingClaim), (["aud": "https://theirs.example"], .wrongAudience),
            (["aud": nil], .missingClaim), (["exp": nil], .missingClaim),
            (["exp": .int(time.now.seconds - 61)], .expired), (["nbf": .int(time.now.seconds + 3600)], .notYetValid),
            // The published sample contains the first expiry time. Both expiry times are too far in the future.
            (["exp": 9_999_999_999], .malformed), (["exp": .int(time.now.seconds + 3_661)], .malformed),
            (["iat": nil], .missingClaim), (["iat": .int(time.now.seconds + 61)], .notYetValid),
            (["jti": ""], .malformed), (["jti": .string(String(repeating: "j", count: 257))], .malformed),
            (
                ["more": .array((0..<60).map { .string("text \($0) of many, each of which is rather long") })],
                .malformed
            ),
        ]
        for (lie, code) in lies {
            let statement = try signer.statement(claims(lie))
            let error = #expect(throws: TokenError.self, "\(lie)") { try read(statement) }
            #expect(error?.code == code, "\(lie)")
        }
        let good = try signer.statement(claims())
        let forged = try StatementSigner().statement(claims())
        let parts = good.split(separator: ".")
        let unsigned = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8)) + ".\(parts[1])."
        let texts: [(String, TokenError.Code)] = [
            (forged, .badSignature), ("", .malformed), ("a.b.c", .malformed), (good + "A", .badSignature),
            (unsigned, .algorithmMismatch), ("\(parts[0]).\(parts[1]).", .badSignature),
        ]
        for (text, code) in texts {
            let error = #expect(throws: TokenError.self) { try read(text) }
            #expect(error?.code == code, "\(text)")
        }
        _ = try read(good)
    }
}
