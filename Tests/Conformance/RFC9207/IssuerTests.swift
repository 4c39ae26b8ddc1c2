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

/// Tests of the issuer in authorization responses (RFC 9207).
@Suite(.timeLimit(.minutes(2)))
struct RFC9207IssuerTests {
    @Test(
        "RFC 9207 §2: every response with a code or an error names the issuer, in every response mode",
        arguments: ResponseMode.allCases
    )
    func everyAnswer(_ mode: ResponseMode) async throws {
        let site = try await Site()
        for (changes, member) in [([:], "code"), (["scope": "tasks.fly"], "error")] as [([String: String?], String)] {
            let answer = try await site.authorize(
                changes.merging(["response_mode": mode.rawValue]) { $1 },
                isSignedIn: true
            )
            switch mode {
            case .query: #expect(answer.reply["iss"] == Site.issuer && answer.reply[member] != nil)
            case .fragment:
                let form = try Form(try #require(answer.location.split(separator: "#").dropFirst().first))
                #expect(form["iss"] == Site.issuer && form[member] != nil)
            case .formPost:
                #expect(answer.text.contains("name=\"iss\" value=\"\(Site.issuer)\""))
                #expect(answer.text.contains("name=\"\(member)\""))
            }
        }
    }

    @Test(
        "RFC 9207 §2.4: the issuer equals that of the metadata and of the ID token, for each policy and each form of its URL"
    )
    func same() async throws {
        let site = try await Site()
        for (policy, path) in [
            (Site.policy, "/local/\(Site.policy)"), ("b2c_1_other", "/LOCAL/B2C_1_Other"),
            ("b2c_1_other", "/tfp/local/b2c_1_other"),
        ] {
            let issuer = "\(Site.base)/local/\(policy)/v2.0"
            let query = Form.encoded([
                ("client_id", "app"), ("response_type", "code"), ("redirect_uri", Site.redirectURI),
                ("scope", "openid"),
                ("prompt", "none"), ("code_challenge_method", "S256"),
                ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
            ])
            let answer = try await site.send(.get, "\(path)\(AuthorityEndpoint.authorize.path)?\(query)")
            #expect(answer.reply["iss"] == issuer)
            let metadata = try await site.send(.get, "/local/\(policy)/v2.0/.well-known/openid-configuration")
            #expect(metadata["issuer"]?.string == issuer)
        }
        let tokens = try await site.tokens()
        let claims = try await site.claims(try #require(tokens["id_token"]?.string), .jwt, audience: "app")
        #expect(claims["iss"]?.string == Site.issuer)
    }

    @Test("RFC 9207 §3: the metadata declares that responses name the issuer") func metadata() async throws {
        let path = "/local/\(Site.policy)/v2.0/.well-known/openid-configuration"
        let metadata = try await Site().send(.get, path)
        #expect(metadata["authorization_response_iss_parameter_supported"] == true)
    }
}
