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

/// Tests of the authorization endpoint (RFC 6749 §3.1, §4.1).
@Suite(.timeLimit(.minutes(2)))
struct RFC6749AuthorizationTests {
    @Test("RFC 6749 §3.1: the endpoint supports GET, and POST with a form") func methods() async throws {
        let site = try await Site()
        for posts in [false, true] {
            let answer = try await site.authorize(isSignedIn: true, posts: posts)
            #expect(answer.status == 303 && answer.reply["code"] != nil)
        }
        let path = "/local/\(Site.policy)\(AuthorityEndpoint.authorize.path)"
        #expect(try await site.send(.put, path).status == 405)
    }

    @Test("RFC 6749 §3.1: a parameter without a value counts as left out, and an unknown one is ignored")
    func empty() async throws {
        let site = try await Site()
        let empty = try await site.authorize(["nonce": "", "prompt": "", "max_age": "", "x": "y"], isSignedIn: true)
        #expect(empty.reply["code"] != nil)
        #expect(try await site.authorize(["response_type": ""]).reply["error"] == "invalid_request")
        #expect(try await site.authorize(["client_id": ""]).status == 400)
    }

    @Test("RFC 6749 §3.1: a repeated parameter is rejected", arguments: ["scope", "state", "client_id"])
    func twice(_ name: String) async throws {
        let site = try await Site()
        let path = "/local/\(Site.policy)\(AuthorityEndpoint.authorize.path)?"
        let query = Form.encoded([
            ("client_id", "app"), ("response_type", "code"), ("redirect_uri", Site.redirectURI), ("scope", "openid"),
            ("state", "s"), ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
            ("code_challenge_method", "S256"), (name, "again"),
        ])
        let answer = try await site.send(.get, path + query)
        #expect(name == "client_id" ? answer.status == 400 : answer.reply["error"] == "invalid_request")
        #expect(answer.reply["code"] == nil && (name != "state" || answer.reply["state"] == nil))
    }

    @Test("RFC 6749 §3.1.1: a missing response_type is invalid_request, and one other than code is unsupported")
    func responseType() async throws {
        let site = try await Site()
        #expect(try await site.authorize(["response_type": nil]).reply["error"] == "invalid_request")
        for type in ["token", "id_token", "code token", "codes"] {
            #expect(try await site.authorize(["response_type": type]).reply["error"] == "unsupported_response_type")
        }
    }

    @Test(
        "RFC 6749 §3.1.2.4: the browser is not redirected to a URI that is not registered exactly",
        arguments: [
            nil, "https://app.example/cb/", "https://app.example/cb?x=1", "https://app.example/cb#x",
            "https://app.example/CB", "https://app.example:444/cb", "http://app.example/cb",
            "https://app.example.evil.example/cb", "https://app.example/a/../cb", "//app.example/cb", "/cb",
            "javascript:alert(1)",
        ] as [String?]
    )
    func redirectURI(_ uri: String?) async throws {
        let answer = try await Site().authorize(["redirect_uri": uri], isSignedIn: true)
        #expect(answer.status == 400 && answer.location.isEmpty && answer.text.contains("AADB2C90"))
    }

    @Test("RFC 6749 §4.1.2: the response has the exact state, and a code that its client can redeem") func code()
        async throws
    {
        let site = try await Site()
        for state in ["st 1", "a+b&c=d#e%20", "é\"<"] {
            let answer = try await site.authorize(["state": state], isSignedIn: true)
            #expect(answer.reply["state"] == state)
            let code = try #require(answer.reply["code"])
            #expect(code.utf8.count == 43)
            #expect(try await site.redeem(code).status == 200)
        }
        #expect(try await site.authorize(["state": nil], isSignedIn: true).reply["state"] == nil)
    }

    @Test(
        "RFC 6749 §4.1.2.1: an error goes to the verified redirect URI, with its code, its characters and the state",
        arguments: [
            (["scope": "tasks.fly"], "invalid_scope"), (["code_challenge": nil], "invalid_request"),
            (["client_id": "native", "redirect_uri": "com.example.app:/back", "scope": "notes.read"], "invalid_scope"),
            (["prompt": "none"], "login_required"), (["request": "x"], "request_not_supported"),
        ] as [([String: String?], String)]
    )
    func error(_ changes: [String: String?], _ error: String) async throws {
        let answer = try await Site().authorize(changes)
        #expect(answer.status == 303 && answer.reply["error"] == error && answer.reply["state"] == "st 1")
        let description = try #require(answer.reply["error_description"])
        #expect(description.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C })
    }

    @Test("RFC 6749 §4.1.2.1: a client that may not request codes is unauthorized_client") func grant() async throws {
        let stranger = try await Site().authorize(["client_id": "stranger"])
        #expect(stranger.status == 400 && stranger.location.isEmpty)
        let site = try await Site()
        let uri = ["client_id": "devices"]
        #expect(try await site.authorize(uri).reply["error"] == "unauthorized_client")
    }

    @Test("RFC 6749 §10.13: pages cannot be framed or stored in caches") func framing() async throws {
        let site = try await Site()
        let begun = try await site.authorize()
        let cookie = String(try #require(begun.headers[.setCookie]).prefix { $0 != ";" })
        let page = try await site.send(.get, begun.location, headers: [.cookie: cookie])
        let refused = try await site.authorize(["client_id": "nobody"])
        for answer in [page, refused] {
            #expect(answer.headers[.contentSecurityPolicy]?.contains("frame-ancestors 'none'") == true)
            #expect(answer.headers[.cacheControl] == "no-store")
            #expect(answer.headers[HTTPField.Name("Referrer-Policy") ?? .date] == "no-referrer")
        }
        #expect(page.status == 200 && page.text.contains("type=\"password\""))
    }
}
