import Authority
import AuthorityStore
import FlowModel
import Foundation
import HTTPTypes
import Moments
import OAuth
import TestSupport
import Testing
import Tokens

@Suite(.timeLimit(.minutes(2)))
struct RFC7636ProofKeyTests {
    @Test("RFC 7636 appendix B") func vector() throws {
        let challenge = try CodeChallenge("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        #expect(challenge.matches(verifier: Secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")))
        #expect(!challenge.matches(verifier: Secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXl")))
    }

    @Test(
        "RFC 7636 §4.2: a challenge other than 43 characters of base64url is rejected",
        arguments: ["", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM=", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw c!"]
    )
    func refused(_ text: String) {
        let error = #expect(throws: OAuthError.self) { try CodeChallenge(text) }
        #expect(error?.code == .invalidRequest)
    }

    @Test(
        "RFC 7636 §4.6: a verifier that does not match, or is missing, is invalid_grant and does not use up the code",
        arguments: [
            (String(repeating: "a", count: 43), "AADB2C90182"), (String(repeating: "a", count: 42), "AADB2C90183"),
            (String(repeating: "a", count: 129), "AADB2C90183"), (String(repeating: "+", count: 43), "AADB2C90183"),
        ]
    )
    func mismatch(_ verifier: String, _ number: String) async throws {
        let site = try await Site()
        let code = try await site.code()
        let answer = try await site.redeem(code, ["code_verifier": verifier])
        #expect(answer.error == "invalid_grant")
        #expect(answer.description.hasPrefix(number))
        #expect(try await site.redeem(code, ["code_verifier": ""]).error == "invalid_request")
        #expect(try await site.redeem(code).status == 200)
    }
}
