import Authority
import Foundation
import HTTPTypes
import OAuth
import TestSupport
import Testing

/// Tests of access tokens at the userinfo endpoint, the only endpoint that accepts them (RFC 6750).
@Suite(.timeLimit(.minutes(2)))
struct RFC6750BearerTokenTests {
    private let path = "/local/\(Site.policy)\(AuthorityEndpoint.userinfo.path)"
    private let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]

    private func ask(_ site: Site, _ field: String) async throws -> Site.Answer {
        try await site.send(.get, path, headers: [.authorization: field])
    }

    private func token(_ site: Site, scopes: [String] = ["openid", "tasks.read"]) async throws -> String {
        try #require(try await site.tokens(scopes: scopes)["access_token"]?.string)
    }

    private func challenge(_ answer: Site.Answer) -> String { answer.headers[.wwwAuthenticate] ?? "" }

    @Test("RFC 6750 §2.1: the scheme is Bearer in any case, and another scheme carries no token") func scheme()
        async throws
    {
        let site = try await Site()
        let token = try await token(site)
        for scheme in ["Bearer", "bearer", "BEARER"] {
            let answer = try await ask(site, "\(scheme) \(token)")
            #expect(answer.status == 200 && answer.headers[.cacheControl] == "no-store", "\(scheme)")
        }
        for field in [token, "Basic \(token)", "DPoP \(token)", "Bearer"] {
            let answer = try await ask(site, field)
            #expect(answer.status == 401, "\(field.prefix(8))")
            #expect(challenge(answer) == "Bearer realm=\"\(Site.issuer)\"", "\(field.prefix(8))")
        }
    }

    @Test("RFC 6750 §2.2: a token in a body is accepted only in a POST of a form") func body() async throws {
        let site = try await Site()
        let body = "access_token=\(try await token(site))"
        #expect(try await site.send(.post, path, headers: form, body: body).status == 200)
        #expect(try await site.send(.get, path, headers: form, body: body).status == 401)
        for type in ["text/plain", "multipart/form-data", "application/json"] {
            let answer = try await site.send(.post, path, headers: [.contentType: type], body: body)
            #expect(answer.status == 401 && answer["sub"] == nil, "\(type)")
        }
    }

    @Test("RFC 6750 §2.3: a token in the query is ignored") func query() async throws {
        let site = try await Site()
        let token = try await token(site)
        #expect(try await site.send(.get, "\(path)?access_token=\(token)").status == 401)
    }

    @Test("RFC 6750 §3.1: a token in two places, or repeated, is invalid_request") func twice() async throws {
        let site = try await Site()
        let token = try await token(site)
        var both = form
        both[.authorization] = "Bearer \(token)"
        for (headers, body) in [
            (both, "access_token=\(token)"), (form, "access_token=\(token)&access_token=\(token)"),
            (both, "access_token=\(token)&access_token=x"),
        ] {
            let answer = try await site.send(.post, path, headers: headers, body: body)
            #expect(answer.status == 400 && answer.error == "invalid_request" && answer["sub"] == nil)
        }
        #expect(try await site.send(.post, path, headers: both, body: "access_token=").status == 200)
    }

    @Test("RFC 6750 §3.1: the challenge has no error without a token, and an error for an invalid one")
    func challenges() async throws {
        let site = try await Site()
        let none = try await site.send(.get, path)
        #expect(none.status == 401)
        #expect(challenge(none) == "Bearer realm=\"\(Site.issuer)\"")
        let bad = try await ask(site, "Bearer made-up")
        #expect(bad.status == 401)
        #expect(challenge(bad).contains("error=\"invalid_token\""))
    }

    @Test("RFC 6750 §3.1: an expired or revoked token is invalid_token, and one without openid is 403")
    func ended() async throws {
        let site = try await Site()
        let plain = try await ask(site, "Bearer \(try await token(site, scopes: ["tasks.read"]))")
        #expect(plain.status == 403 && challenge(plain).contains("error=\"insufficient_scope\""))
        let (revoked, old) = (try await token(site), try await token(site))
        #expect(try await ask(site, "Bearer \(revoked)").status == 200)
        #expect(try await site.post(.revocation, ["client_id": "app", "token": revoked]).status == 200)
        let answer = try await ask(site, "Bearer \(revoked)")
        #expect(answer.status == 401 && challenge(answer).contains("error=\"invalid_token\""))
        #expect(try await ask(site, "Bearer \(old)").status == 200)
        site.time.advance(by: .seconds(3601))
        let late = try await ask(site, "Bearer \(old)")
        #expect(late.status == 401 && challenge(late).contains("error=\"invalid_token\""))
    }

    @Test(
        "RFC 6750 §3: a challenge repeats no input, and has only its own characters",
        arguments: ["x\" error=\"none", "x\\", "é", "x, Basic realm=\"y\""]
    )
    func characters(_ token: String) async throws {
        let answer = try await ask(try await Site(), "Bearer \(token)")
        #expect(answer.status == 401)
        #expect(challenge(answer).hasPrefix("Bearer realm=\"\(Site.issuer)\", error=\"invalid_token\""))
        #expect(!challenge(answer).contains(token) && !challenge(answer).contains("Basic"))
        #expect(challenge(answer).utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x5C })
    }
}
