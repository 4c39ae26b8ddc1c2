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

/// Tests of authentication requests (OpenID Connect Core §3.1.2).
@Suite(.timeLimit(.minutes(2)))
struct OIDCAuthenticationRequestTests {
    @Test("OpenID Connect Core §3.1.2.1: prompt=none shows no page and reports what is missing") func silent()
        async throws
    {
        let site = try await Site()
        let nobody = try await site.authorize(["prompt": "none"])
        #expect(nobody.reply["error"] == "login_required" && nobody.headers[.setCookie] == nil)
        #expect(try await site.authorize(["prompt": "none"], isSignedIn: true).reply["code"] != nil)
        let more = try await site.authorize(["prompt": "none", "scope": "openid balance"], isSignedIn: true)
        #expect(more.reply["error"] == "interaction_required")
    }

    @Test(
        "OpenID Connect Core §3.1.2.1: a signed-in user is prompted again if the client requests it",
        arguments: ["login", "select_account", "consent login"]
    )
    func prompted(_ prompt: String) async throws {
        let site = try await Site()
        #expect(try await site.authorize(isSignedIn: true).reply["code"] != nil)
        let asked = try await site.authorize(["prompt": prompt], isSignedIn: true)
        #expect(asked.status == 303 && asked.location.hasPrefix("/local/flow/"))
    }

    @Test("OpenID Connect Core §3.1.2.1: prompt=none with another value is rejected, and so is an unknown value")
    func prompts()
        async throws
    {
        let site = try await Site()
        for prompt in ["none login", "perhaps", "LOGIN"] {
            #expect(try await site.authorize(["prompt": prompt]).reply["error"] == "invalid_request")
        }
    }

    @Test("OpenID Connect Core §3.1.2.1: a sign-in older than max_age is not enough, and auth_time has its time")
    func maxAge() async throws {
        let site = try await Site()
        _ = try await site.session()
        let began = site.time.now.seconds
        site.time.advance(by: .seconds(100))
        let old = try await site.authorize(["max_age": "50", "prompt": "none"], isSignedIn: true)
        #expect(old.reply["error"] == "login_required")
        let young = try await site.authorize(["max_age": "200"], isSignedIn: true)
        let tokens = try await site.redeem(try #require(young.reply["code"]))
        let claims = try await site.claims(try #require(tokens["id_token"]?.string), .jwt, audience: "app")
        #expect(claims["auth_time"] == .int(began))
        #expect(try await site.authorize(["max_age": "-1"]).reply["error"] == "invalid_request")
    }

    @Test("OpenID Connect Core §3.1.2.1: the hints and preferences of a request cause no error") func preferences()
        async throws
    {
        let changes: [String: String?] = [
            "display": "popup", "ui_locales": "xx-YY de", "claims_locales": "fr", "login_hint": "ada@example.org",
            "acr_values": "1 9", "domain_hint": "example.org", "claims": "{\"userinfo\":{\"unknown\":null}}",
        ]
        #expect(try await Site().authorize(changes, isSignedIn: true).reply["code"] != nil)
    }

    @Test(
        "OpenID Connect Core §3.1.2.1: id_token_hint must be a local ID token, and no other user gets a response for it"
    )
    func hint() async throws {
        let site = try await Site()
        let tokens = try await site.tokens()
        let hint = try #require(tokens["id_token"]?.string)
        site.time.advance(by: .seconds(7200))
        let silent: [String: String?] = ["prompt": "none", "id_token_hint": hint]
        #expect(try await site.authorize(silent, isSignedIn: true).reply["code"] != nil)
        #expect(try await site.authorize(silent).reply["error"] == "login_required")
        for wrong in [try #require(tokens["access_token"]?.string), hint + "A", "x"] {
            let changes: [String: String?] = ["prompt": "none", "id_token_hint": wrong]
            #expect(try await site.authorize(changes, isSignedIn: true).reply["error"] == "invalid_request")
        }
    }

    @Test("OpenID Connect Core §3.1.2.1: the ID token contains the nonce unchanged") func nonce() async throws {
        let site = try await Site()
        let answer = try await site.authorize(["nonce": "n 1\"é"], isSignedIn: true)
        let tokens = try await site.redeem(try #require(answer.reply["code"]))
        let claims = try await site.claims(try #require(tokens["id_token"]?.string), .jwt, audience: "app")
        #expect(claims["nonce"] == "n 1\"é")
    }

    @Test("OpenID Connect Core §3.1.2.6: request objects and registrations are rejected with their own error codes")
    func objects() async throws {
        let site = try await Site()
        for (name, error) in [
            ("request", "request_not_supported"), ("request_uri", "request_uri_not_supported"),
            ("registration", "registration_not_supported"),
        ] {
            #expect(try await site.authorize([name: "https://app.example/x"]).reply["error"] == error)
        }
    }
}
