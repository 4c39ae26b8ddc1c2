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
struct RFC9126PushedRequestTests {
    private static let request = [
        "response_type": "code", "redirect_uri": Site.redirectURI, "scope": "openid tasks.read", "state": "st",
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
    ]

    private func push(_ site: Site, _ changes: [String: String] = [:], daemon: Int = 0) async throws -> Site.Answer {
        let parameters = Self.request.merging(changes) { $1 }
        return try await site.post(.pushedRequests, parameters, basic: ("web", Site.secret), daemon: daemon)
    }

    private func authorize(_ site: Site, _ uri: String, client: String = "web", daemon: Int = 0) async throws -> Int {
        let query = Form.encoded([(name: "client_id", value: client), (name: "request_uri", value: uri)])
        let path = "/local/\(Site.policy)\(AuthorityEndpoint.authorize.path)?\(query)"
        return try await site.send(.get, path, daemon: daemon).status
    }

    @Test("RFC 9126 §2.2: a client that has proved who it is gets a reference for 90 seconds") func answer()
        async throws
    {
        let answer = try await push(try await Site())
        #expect(answer.status == 201, "\(answer.description)")
        #expect(answer["request_uri"]?.string?.hasPrefix("urn:ietf:params:oauth:request_uri:") == true)
        #expect(answer["expires_in"] == 90)
        #expect(answer.headers[.cacheControl] == "no-store")
    }

    @Test(
        "RFC 9126 §2.1: a request is checked as the authorization endpoint would, and names no other request",
        arguments: [
            (["redirect_uri": "https://elsewhere.example/"], "invalid_request"),
            (["response_type": "token"], "unsupported_response_type"), (["scope": "nothing"], "invalid_scope"),
            (["code_challenge": ""], "invalid_request"), (["resource": "https://elsewhere.example"], "invalid_target"),
            (["request_uri": "urn:ietf:params:oauth:request_uri:x"], "invalid_request"),
        ]
    )
    func refused(_ changes: [String: String], _ error: String) async throws {
        let answer = try await push(try await Site(), changes)
        #expect(answer.status == 400)
        #expect(answer.error == error)
    }

    @Test("RFC 9126 §2: a client that proves nothing pushes nothing") func unproven() async throws {
        let site = try await Site()
        let answer = try await site.post(.pushedRequests, Self.request.merging(["client_id": "web"]) { $1 })
        #expect(answer.status == 401)
        #expect(answer.error == "invalid_client")
    }

    @Test("RFC 9126 §4: a reference opens the pages once, at any daemon, for its own client") func once() async throws {
        let site = try await Site()
        let uri = try #require(try await push(site)["request_uri"]?.string)
        #expect(try await authorize(site, uri, client: "app") == 400)
        #expect(try await authorize(site, uri, daemon: 1) == 303)
        #expect(try await authorize(site, uri) == 400)
    }

    @Test("RFC 9126 §2.2: a reference ends") func ends() async throws {
        let site = try await Site()
        let uri = try #require(try await push(site)["request_uri"]?.string)
        site.time.advance(by: .seconds(90))
        #expect(try await authorize(site, uri) == 400)
    }
}
