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

/// Tests of sign-outs that a client requests (OpenID Connect RP-Initiated Logout 1.0).
@Suite(.timeLimit(.minutes(2)))
struct RPInitiatedLogoutTests {
    private func logout(
        _ site: Site,
        _ parameters: [String: String],
        posts: Bool = false
    ) async throws -> Site.Answer {
        let path = "/local/\(Site.policy)\(AuthorityEndpoint.logout.path)"
        let form = Form.encoded(parameters.map { (name: $0.key, value: $0.value) })
        var headers: HTTPFields = [.cookie: "__Host-session=\(Site.cookie)"]
        guard posts else { return try await site.send(.get, "\(path)?\(form)", headers: headers) }
        headers[.contentType] = "application/x-www-form-urlencoded"
        return try await site.send(.post, path, headers: headers, body: form)
    }

    private func isSignedIn(_ site: Site) async throws -> Bool {
        try await !site.store.sessions.live(owner: Site.owner).isEmpty
    }

    private func hint(_ site: Site, _ client: String = "app") async throws -> String {
        try #require(try await site.tokens(client: client)["id_token"]?.string)
    }

    @Test("RP-Initiated Logout §2: the endpoint supports GET and POST, and the metadata lists it")
    func methods() async throws {
        let site = try await Site()
        let hint = try await hint(site)
        let posted = try await logout(site, ["id_token_hint": hint], posts: true)
        #expect(posted.status == 303)
        let headers: HTTPFields = [.cookie: "__Host-session=\(Site.cookie)"]
        #expect(try await site.send(.get, posted.location, headers: headers).status == 200)
        #expect(try await !isSignedIn(site))
        let metadata = try await site.send(.get, "/local/\(Site.policy)/v2.0/.well-known/openid-configuration")
        #expect(metadata["end_session_endpoint"]?.string?.hasSuffix(AuthorityEndpoint.logout.path) == true)
    }

    @Test("RP-Initiated Logout §2: without a hint the user is prompted, and nothing is revoked before")
    func asks() async throws {
        let site = try await Site()
        _ = try await site.session()
        for parameters in [[:], ["client_id": "app"], ["logout_hint": "ada@example.org"]] {
            let answer = try await logout(site, parameters)
            #expect(answer.status == 200 && answer.text.contains("name=\"_decision\""))
            #expect(answer.headers[.setCookie] == nil)
        }
        #expect(try await isSignedIn(site))
    }

    @Test("RP-Initiated Logout §2: the hint must be an ID token of this authority, and it may be expired") func issuer()
        async throws
    {
        let site = try await Site()
        let own = try await hint(site)
        let other = try await hint(try await Site())
        for wrong in [other, own + "A", "a.b.c"] {
            #expect(try await logout(site, ["id_token_hint": wrong]).status == 400)
            #expect(try await isSignedIn(site))
        }
        site.time.advance(by: .seconds(7200))
        #expect(try await logout(site, ["id_token_hint": own]).status == 200)
        #expect(try await !isSignedIn(site))
    }

    @Test("RP-Initiated Logout §2: client_id must be that of the hint") func client() async throws {
        let site = try await Site()
        let hint = try await hint(site)
        #expect(try await logout(site, ["id_token_hint": hint, "client_id": "other"]).status == 400)
        #expect(try await isSignedIn(site))
        #expect(try await logout(site, ["id_token_hint": hint, "client_id": "app"]).status == 200)
        #expect(try await !isSignedIn(site))
    }

    @Test(
        "RP-Initiated Logout §3: afterwards the browser goes to a registered URL, with the state, and to no other"
    )
    func redirect() async throws {
        let site = try await Site()
        let hint = try #require(
            try await site.redeem(
                try await site.code(client: "native"),
                ["client_id": "native"]
            )["id_token"]?.string
        )
        for address in [
            "com.example.app:/outside", "com.example.app:/out?x", "https://evil.example/", "COM.example.app:/out",
        ] {
            let answer = try await logout(site, ["id_token_hint": hint, "post_logout_redirect_uri": address])
            #expect(answer.status == 400 && answer.location.isEmpty)
            #expect(try await isSignedIn(site))
        }
        let nobody = try await logout(site, ["post_logout_redirect_uri": "com.example.app:/out"])
        #expect(nobody.status == 400 && nobody.location.isEmpty)
        let parameters = ["id_token_hint": hint, "post_logout_redirect_uri": "com.example.app:/out", "state": "a b"]
        let answer = try await logout(site, parameters)
        #expect(answer.status == 303 && answer.location == "com.example.app:/out?state=a%20b")
        #expect(answer.headers[.setCookie]?.contains("Max-Age=0") == true)
        #expect(try await !isSignedIn(site))
    }
}
