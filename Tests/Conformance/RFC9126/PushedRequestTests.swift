import Authority
import AuthorityStore
import Crypto
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

    @Test("RFC 9126 §2.2: an authenticated client gets a reference for 90 seconds") func answer()
        async throws
    {
        let answer = try await push(try await Site())
        #expect(answer.status == 201, "\(answer.description)")
        #expect(answer["request_uri"]?.string?.hasPrefix("urn:ietf:params:oauth:request_uri:") == true)
        #expect(answer["expires_in"] == 90)
        #expect(answer.headers[.cacheControl] == "no-store")
    }

    @Test(
        "RFC 9126 §2.1: a request is checked as at the authorization endpoint, and cannot name another request",
        arguments: [
            (["redirect_uri": "https://elsewhere.example/"], "invalid_request"),
            (["response_type": "token"], "unsupported_response_type"), (["scope": "nothing"], "invalid_scope"),
            (["code_challenge": ""], "invalid_request"), (["resource": "https://elsewhere.example"], "invalid_target"),
            (["resource": "tasks"], "invalid_target"), (["resource": "tasks-audience"], "invalid_target"),
            (["resource": "web", "scope": "openid"], "invalid_target"),
            (["request_uri": "urn:ietf:params:oauth:request_uri:x"], "invalid_request"),
        ]
    )
    func refused(_ changes: [String: String], _ error: String) async throws {
        let answer = try await push(try await Site(), changes)
        #expect(answer.status == 400)
        #expect(answer.error == error)
    }

    @Test("RFC 9126 §2: a client without authentication cannot push a request") func unproven() async throws {
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

    @Test("RFC 9126 §2: unknown parameters and credentials are not stored, and all stored values have a limit")
    func kept() async throws {
        let site = try await Site()
        let long = String(repeating: "x", count: 20_000)
        let more = ["unknown": long, "client_secret_": "s", "domain_hint": "partner", "prompt": "login"]
        let uri = try #require(try await push(site, more)["request_uri"]?.string)
        let reference = String(try #require(uri.split(separator: ":").last))
        let hash = String(reference.prefix(8)) + Base64URL.encode(Data(SHA256.hash(data: Data(reference.utf8))))
        let row = try #require(try await site.store.pushedRequests.take(hash, client: "web", policy: Site.policy))
        let kept = try #require(try StrictJSON.parse(Array(row.body)).object)
        #expect(Set(kept.keys) == Set(Self.request.keys).union(["client_id", "domain_hint", "prompt"]))
        for name in ["state", "nonce", "redirect_uri", "login_hint", "domain_hint", "prompt", "code_challenge"] {
            #expect(try await push(site, [name: long]).status == 400, "\(name)")
        }
    }

    @Test("RFC 9126 §2: a confidential client has its own share, and a full share names the time to wait") func full()
        async throws
    {
        let site = try await Site()
        for _ in 0..<256 { #expect(try await push(site).status == 201) }
        #expect(try await push(site).status == 201)
        let app = Self.request.merging(["client_id": "app"]) { $1 }
        for _ in 0..<256 { #expect(try await site.post(.pushedRequests, app).status == 201) }
        let refused = try await site.post(.pushedRequests, app)
        #expect(refused.status == 429 && refused.error == "temporarily_unavailable")
        #expect(refused.headers[.retryAfter] == "90")
        #expect(try await push(site).status == 201)
    }

    @Test("a page of another site cannot push a request or request a device code, and uses up no share")
    func otherSites() async throws {
        let site = try await Site()
        let name = try #require(HTTPField.Name("Sec-Fetch-Site"))
        let endpoints: [AuthorityEndpoint] = [
            .pushedRequests, .deviceAuthorization, .token, .introspection, .revocation,
        ]
        for endpoint in endpoints {
            for value in ["cross-site", "same-site"] {
                let headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded", name: value]
                let path = "/local/\(Site.policy)\(endpoint.path)"
                let body = "client_id=app&scope=tasks.read"
                let answer = try await site.send(.post, path, headers: headers, body: body)
                #expect(answer.status == 400 && answer.error == "invalid_request")
                #expect(answer.description.contains("another site"), "\(endpoint)")
            }
        }
        for _ in 0..<64 {
            let asked = try await site.post(.deviceAuthorization, ["client_id": "app", "scope": "tasks.read"])
            #expect(asked.status == 200)
        }
    }

    @Test("RFC 9126 §4: of twelve concurrent uses of a reference at two daemons one opens the pages") func race()
        async throws
    {
        let site = try await Site()
        let uri = try #require(try await push(site)["request_uri"]?.string)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<12 { group.addTask { try await authorize(site, uri, daemon: number % 2) } }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.filter { $0 == 303 }.count == 1 && statuses.filter { $0 == 400 }.count == 11)
    }

    @Test("RFC 9126 §4: a pushed prompt=none works in a frame, and parameters next to the reference are ignored")
    func frame() async throws {
        let site = try await Site()
        func open(
            _ pushed: [String: String],
            _ beside: [(name: String, value: String)] = []
        ) async throws
            -> Site.Answer
        {
            let uri = try #require(try await push(site, pushed)["request_uri"]?.string)
            var headers: HTTPFields = [:]
            for (name, value) in [("Site", "cross-site"), ("Mode", "navigate"), ("Dest", "iframe")] {
                headers[try #require(HTTPField.Name("Sec-Fetch-\(name)"))] = value
            }
            let query = Form.encoded([(name: "client_id", value: "web"), (name: "request_uri", value: uri)] + beside)
            let path = "/local/\(Site.policy)\(AuthorityEndpoint.authorize.path)?\(query)"
            return try await site.send(.get, path, headers: headers)
        }
        let silent = try await open(["prompt": "none"])
        #expect(silent.status == 303 && silent.reply["error"] == "login_required")
        let asking = try await open([:], [(name: "prompt", value: "none")])
        #expect(asking.status == 403 && asking.location.isEmpty)
        let page = try await open(["prompt": "login"], [(name: "prompt", value: "none")])
        #expect(page.status == 403 && page.location.isEmpty)
    }

    @Test("RFC 9126 §2.2: a reference expires") func ends() async throws {
        let site = try await Site()
        let uri = try #require(try await push(site)["request_uri"]?.string)
        site.time.advance(by: .seconds(90))
        #expect(try await authorize(site, uri) == 400)
    }

    @Test("RFC 9126 §4: a reference is valid only at the policy that it was pushed to") func policy()
        async throws
    {
        let site = try await Site()
        let uri = try #require(try await push(site)["request_uri"]?.string)
        let query = Form.encoded([(name: "client_id", value: "web"), (name: "request_uri", value: uri)])
        let path = "/local/b2c_1_other\(AuthorityEndpoint.authorize.path)?\(query)"
        let elsewhere = try await site.send(.get, path)
        #expect(elsewhere.status == 400 && elsewhere.location.isEmpty)
        #expect(try await authorize(site, uri) == 303)
    }
}
