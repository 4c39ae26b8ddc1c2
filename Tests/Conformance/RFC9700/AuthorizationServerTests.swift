import Authority
import FlowModel
import Foundation
import HTTPTypes
import OAuth
import TestSupport
import Testing

/// Tests of requirements for authorization servers that RFC 9700 adds to other documents.
@Suite(.timeLimit(.minutes(2)))
struct RFC9700AuthorizationServerTests {
    private let userinfo = "/local/\(Site.policy)\(AuthorityEndpoint.userinfo.path)"

    @Test(
        "RFC 9700 §2.1.1: no client, public or confidential, gets a code without an S256 challenge",
        arguments: ["app", "web"]
    )
    func challenge(_ client: String) async throws {
        let site = try await Site()
        for changes in [
            ["code_challenge": nil], ["code_challenge_method": nil], ["code_challenge_method": "plain"],
            ["code_challenge": nil, "code_challenge_method": nil],
        ] as [[String: String?]] {
            let answer = try await site.authorize(changes.merging(["client_id": client]) { $1 }, isSignedIn: true)
            #expect(answer.reply["error"] == "invalid_request" && answer.reply["code"] == nil)
        }
        #expect(try await site.authorize(["client_id": client], isSignedIn: true).reply["code"] != nil)
    }

    @Test(
        "RFC 9700 §4.8.2: a confidential client's secret does not replace the verifier, and an error does not use up the code"
    )
    func downgrade() async throws {
        let site = try await Site()
        let code = try await site.code(client: "web")
        let own = ["client_id": "web", "client_secret": Site.secret]
        let without = try await site.redeem(code, own.merging(["code_verifier": ""]) { $1 })
        #expect(without.error == "invalid_request" && without["access_token"] == nil)
        #expect(try await site.redeem(code, own).status == 200)
    }

    @Test("RFC 9700 §4.5.3: a code injected into another request is rejected") func injection()
        async throws
    {
        let site = try await Site()
        let code = try await site.code()
        let other = String(repeating: "a", count: 43)
        let injected = try await site.redeem(code, ["code_verifier": other])
        #expect(injected.error == "invalid_grant" && injected.description.hasPrefix("AADB2C90182: "))
        #expect(try await site.redeem(code).status == 200)
    }

    @Test("RFC 9700 §2.1.2: a response contains a code and no token, in every response mode") func tokens()
        async throws
    {
        let site = try await Site()
        for mode in ResponseMode.allCases {
            let answer = try await site.authorize(["response_mode": mode.rawValue], isSignedIn: true)
            let shown = answer.location + answer.text
            #expect(shown.contains("code"), "\(mode)")
            for name in ["access_token", "id_token", "refresh_token"] { #expect(!shown.contains(name), "\(mode)") }
        }
    }

    @Test("RFC 9700 §2.4: the password grant is unsupported, and the metadata lists neither it nor the implicit grant")
    func password() async throws {
        let site = try await Site()
        let form = ["grant_type": "password", "username": "ada@example.org", "password": "x", "scope": "openid"]
        let open = try await site.post(.token, form.merging(["client_id": "app"]) { $1 })
        let proved = try await site.post(.token, form, basic: ("web", Site.secret))
        #expect(open.error == "unsupported_grant_type" && proved.error == "unsupported_grant_type")
        let metadata = try await site.send(.get, "/local/\(Site.policy)/v2.0/.well-known/openid-configuration")
        let grants = try #require(metadata["grant_types_supported"]?.strings)
        #expect(!grants.contains("password") && !grants.contains("implicit"))
        #expect(metadata["response_types_supported"] == ["code"])
    }

    @Test("RFC 9700 §2.6: scripts of pages cannot read the authorization endpoint") func crossOrigin()
        async throws
    {
        let site = try await Site()
        let path = "/local/\(Site.policy)\(AuthorityEndpoint.authorize.path)"
        let name = try #require(HTTPField.Name("Access-Control-Request-Method"))
        let headers: HTTPFields = [.origin: "https://app.example", name: "GET"]
        for method in [HTTPRequest.Method.get, .options] {
            let answer = try await site.send(method, "\(path)?client_id=app", headers: headers)
            #expect(answer.headers[.accessControlAllowOrigin] == nil && answer.status >= 400, "\(method)")
        }
    }

    @Test("RFC 9700 §4.12: a POST is redirected with 303, so that it is not posted again")
    func redirects() async throws {
        let site = try await Site()
        #expect(try await site.authorize(isSignedIn: true, posts: true).status == 303)
        #expect(try await site.authorize(["scope": "tasks.fly"], posts: true).status == 303)
        let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        let logout = "/local/\(Site.policy)\(AuthorityEndpoint.logout.path)"
        #expect(try await site.send(.post, logout, headers: form, body: "client_id=app").status == 303)
    }

    @Test(
        "RFC 9700 §4.14.2: a second use of a refresh token, after the grace period, revokes the access tokens of its family too"
    )
    func family() async throws {
        let site = try await Site()
        let tokens = try await site.tokens()
        let first = try #require(tokens["refresh_token"]?.string)
        let renewed = try await site.refresh(first)
        let access = try [tokens, renewed].map { try #require($0["access_token"]?.string) }
        func statuses() async throws -> [Int] {
            var all: [Int] = []
            for token in access {
                let headers: HTTPFields = [.authorization: "Bearer \(token)"]
                all.append(try await site.send(.get, userinfo, headers: headers).status)
            }
            return all
        }
        #expect(try await statuses() == [200, 200])
        site.time.advance(by: .seconds(10))
        #expect(try await site.refresh(first, daemon: 1).error == "invalid_grant")
        #expect(try await statuses() == [401, 401])
    }

    @Test("RFC 9700 §4.14.2: a renewal rejects a resource that was not granted, and does not use up the token")
    func resource() async throws {
        let site = try await Site()
        let token = try #require(try await site.tokens()["refresh_token"]?.string)
        let other = try await site.refresh(token, ["scope": "notes.read"])
        #expect(other.error == "invalid_scope" && other["access_token"] == nil)
        let named = try await site.refresh(token, ["resource": "https://elsewhere.example"])
        #expect(named.error == "invalid_target" && named["access_token"] == nil)
        #expect(try await site.refresh(token).status == 200)
    }

    @Test("RFC 9700 §4.16: pages with a user's decision cannot be shown in a frame") func frames() async throws {
        let site = try await Site()
        let begun = try await site.authorize()
        let cookie = String(try #require(begun.headers[.setCookie]).prefix { $0 != ";" })
        _ = try await site.session()
        let session: HTTPFields = [.cookie: "__Host-session=\(Site.cookie)"]
        let pages = [
            try await site.send(.get, begun.location, headers: [.cookie: cookie]),
            try await site.send(.get, "/local/\(Site.policy)\(AuthorityEndpoint.logout.path)", headers: session),
            try await site.send(.get, "/device"),
            try await site.authorize(["client_id": "nobody"]),
        ]
        #expect(pages.map(\.status) == [200, 200, 200, 400])
        for page in pages {
            #expect(page.headers[.contentSecurityPolicy]?.contains("frame-ancestors 'none'") == true)
        }
    }
}
