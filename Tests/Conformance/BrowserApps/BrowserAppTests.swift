import Authority
import FlowModel
import Foundation
import HTTPTypes
import OAuth
import TestSupport
import Testing

/// Tests of clients of type `browser`, whose pages call the authority with `fetch` (Fetch standard, §3.2).
@Suite(.timeLimit(.minutes(2)))
struct BrowserAppTests {
    /// The origin of the client `page`.
    private static let own = "https://app.example"
    /// The origin of the client `other-page`.
    private static let other = "https://other.example"
    private static let loopback = "http://localhost:5173/"

    private static func client(
        _ id: String,
        _ redirectURIs: [String],
        _ type: ClientType = .browser
    ) -> OAuthClient {
        OAuthClient(
            ClientSummary(client: id, name: id, type: type, redirectURIs: redirectURIs, configured: true),
            isFirstParty: true,
            apis: ["tasks"],
            grants: GrantType.ofBrowserClients
        )
    }

    private func site() async throws -> Site {
        try await Site(clients: [
            Self.client("page", [Site.redirectURI, Self.loopback]),
            Self.client("other-page", ["\(Self.other)/cb"]),
        ])
    }

    private static func path(_ endpoint: AuthorityEndpoint) -> String { "/local/\(Site.policy)\(endpoint.path)" }

    /// Returns the header fields that a browser adds to a request of a page, in old browsers without Fetch metadata.
    private static func fields(of origin: String?, isOld: Bool = false) throws -> HTTPFields {
        var fields: HTTPFields = [:]
        fields[.origin] = origin
        if !isOld { fields[try #require(HTTPField.Name("Sec-Fetch-Site"))] = "cross-site" }
        return fields
    }

    /// Posts a form as a page of `origin`.
    private func post(
        _ endpoint: AuthorityEndpoint,
        _ parameters: [String: String],
        from origin: String?,
        isOld: Bool = false,
        _ site: Site
    ) async throws -> Site.Answer {
        var fields = try Self.fields(of: origin, isOld: isOld)
        fields[.contentType] = "application/x-www-form-urlencoded"
        let body = Form.encoded(parameters.map { (name: $0.key, value: $0.value) })
        return try await site.send(.post, Self.path(endpoint), headers: fields, body: body)
    }

    private func redemption(_ code: String, _ client: String = "page") -> [String: String] {
        [
            "grant_type": "authorization_code", "client_id": client, "code": code,
            "redirect_uri": Site.redirectURI, "code_verifier": Site.verifier,
        ]
    }

    private func renewal(_ tokens: Site.Answer, _ client: String = "page") throws -> [String: String] {
        let token = try #require(tokens["refresh_token"]?.string, "\(tokens.text)")
        return ["grant_type": "refresh_token", "client_id": client, "refresh_token": token]
    }

    /// Asks for a user's claims with an access token as a page of `origin`.
    private func userinfo(
        _ token: String?,
        from origin: String,
        isOld: Bool = false,
        _ site: Site
    ) async throws -> Site.Answer {
        var fields = try Self.fields(of: origin, isOld: isOld)
        fields[.authorization] = token.map { "Bearer \($0)" }
        return try await site.send(.get, Self.path(.userinfo), headers: fields)
    }

    private func expectReadable(_ answer: Site.Answer, by reader: String?, _ what: String) {
        #expect(answer.headers[.accessControlAllowOrigin] == reader, "\(what): \(answer.status) \(answer.text)")
        #expect(answer.headers[.accessControlAllowCredentials] == nil, "\(what)")
    }

    @Test("Fetch §3.2: pages of every origin read the metadata and the keys, without credentials")
    func documents() async throws {
        let site = try await site()
        let method = try #require(HTTPField.Name("Access-Control-Request-Method"))
        let paths = [
            "/local/\(Site.policy)/v2.0/.well-known/openid-configuration",
            "/.well-known/oauth-authorization-server/local/\(Site.policy)/v2.0", Self.path(.keys),
        ]
        for path in paths {
            for origin in ["https://elsewhere.example", nil] {
                let answer = try await site.send(.get, path, headers: try Self.fields(of: origin))
                #expect(answer.status == 200)
                expectReadable(answer, by: "*", path)
            }
            let preflight: HTTPFields = [.origin: "https://elsewhere.example", method: "GET"]
            let asked = try await site.send(.options, path, headers: preflight)
            #expect(asked.status == 204, "\(path)")
            expectReadable(asked, by: "*", path)
        }
        let described = try await site.send(.get, "/openapi.json", headers: try Self.fields(of: Self.own))
        expectReadable(described, by: nil, "openapi.json")
    }

    @Test("Fetch §3.2: a page of the client's origin redeems a code, renews, reads userinfo and revokes")
    func own() async throws {
        let site = try await site()
        let tokens = try await post(.token, redemption(try await site.code(client: "page")), from: Self.own, site)
        #expect(tokens.status == 200 && tokens.headers[.vary] == "Origin", "\(tokens.text)")
        expectReadable(tokens, by: Self.own, "code")
        let renewed = try await post(.token, try renewal(tokens), from: Self.own, isOld: true, site)
        #expect(renewed.status == 200, "\(renewed.text)")
        expectReadable(renewed, by: Self.own, "renewal")
        let token = renewed["access_token"]?.string
        let claims = try await userinfo(token, from: Self.own, site)
        #expect(claims.status == 200 && claims["sub"]?.string == Site.user.oid, "\(claims.text)")
        expectReadable(claims, by: Self.own, "userinfo")
        let end = ["client_id": "page", "token": try #require(renewed["refresh_token"]?.string)]
        let revoked = try await post(.revocation, end, from: Self.own, site)
        #expect(revoked.status == 200)
        expectReadable(revoked, by: Self.own, "revocation")
        // The page can also read the errors.
        let again = try await post(.token, try renewal(renewed), from: Self.own, site)
        #expect(again.status == 400 && again.error == "invalid_grant")
        expectReadable(again, by: Self.own, "error")
        let ended = try await userinfo(token, from: Self.own, site)
        #expect(ended.status == 401 && ended.error == "invalid_token")
        expectReadable(ended, by: Self.own, "error of userinfo")
    }

    @Test("Fetch §3.2: a page of another origin is rejected, and uses up neither a code nor a refresh token")
    func others() async throws {
        let site = try await site()
        let code = redemption(try await site.code(client: "page"))
        let others = [Self.other, "https://elsewhere.example", "http://app.example", "\(Self.own):8443", "null", nil]
        func expectRejected(
            _ endpoint: AuthorityEndpoint,
            _ parameters: [String: String]
        ) async throws {
            for origin in others {
                // A program that is no browser sends neither field, and is not rejected.
                for isOld in origin == nil ? [false] : [true, false] {
                    let answer = try await post(endpoint, parameters, from: origin, isOld: isOld, site)
                    #expect(answer.status == 400 && answer.error == "invalid_request", "\(origin ?? "-")")
                    expectReadable(answer, by: nil, origin ?? "-")
                }
            }
        }
        try await expectRejected(.token, code)
        let tokens = try await post(.token, code, from: Self.own, site)
        #expect(tokens.status == 200, "\(tokens.text)")
        try await expectRejected(.token, try renewal(tokens))
        let refresh = try #require(tokens["refresh_token"]?.string)
        try await expectRejected(.revocation, ["client_id": "page", "token": refresh])
        let access = tokens["access_token"]?.string
        for origin in others.compactMap({ $0 }) {
            let answer = try await userinfo(access, from: origin, site)
            #expect(answer.status == 400 && answer["sub"] == nil, "\(origin)")
            expectReadable(answer, by: nil, origin)
        }
        let renewed = try await post(.token, try renewal(tokens), from: Self.own, site)
        #expect(renewed.status == 200, "\(renewed.text)")
    }

    @Test("Fetch §3.2: a preflight request succeeds only for an origin of a browser client, at three endpoints")
    func preflights() async throws {
        let site = try await site()
        let method = try #require(HTTPField.Name("Access-Control-Request-Method"))
        let names = try #require(HTTPField.Name("Access-Control-Request-Headers"))
        func ask(_ endpoint: AuthorityEndpoint, _ origin: String) async throws -> Site.Answer {
            let fields: HTTPFields = [.origin: origin, method: "POST", names: "authorization"]
            return try await site.send(.options, Self.path(endpoint), headers: fields)
        }
        for endpoint in [AuthorityEndpoint.token, .revocation, .userinfo] {
            for origin in [Self.own, Self.other, "http://localhost:5173"] {
                let answer = try await ask(endpoint, origin)
                #expect(answer.status == 204 && answer.text.isEmpty, "\(endpoint)")
                #expect(answer.headers[.accessControlAllowMethods]?.contains("POST") == true)
                #expect(answer.headers[.accessControlAllowHeaders]?.contains("authorization") == true)
                #expect(answer.headers[.vary] == "Origin")
                expectReadable(answer, by: origin, "\(endpoint)")
            }
            for origin in ["https://elsewhere.example", "http://localhost:5174", "null"] {
                let answer = try await ask(endpoint, origin)
                #expect(answer.status == 405 && answer.headers[.allow]?.contains("POST") == true, "\(endpoint)")
                expectReadable(answer, by: nil, "\(endpoint)")
            }
        }
        for endpoint in [AuthorityEndpoint.pushedRequests, .deviceAuthorization, .introspection, .logout] {
            let answer = try await ask(endpoint, Self.own)
            #expect(answer.status == 405, "\(endpoint)")
            expectReadable(answer, by: nil, "\(endpoint)")
        }
    }

    @Test("Fetch §3.2: a client of another type is rejected from the page of a browser client")
    func otherTypes() async throws {
        let site = try await site()
        let tokens = try await site.tokens()
        let code = redemption(try await site.code(), "app")
        for parameters in [code, try renewal(tokens, "app")] {
            let answer = try await post(.token, parameters, from: Self.own, site)
            #expect(answer.status == 400 && answer.description.contains("another site"), "\(answer.text)")
            expectReadable(answer, by: nil, "token")
        }
        let claims = try await userinfo(tokens["access_token"]?.string, from: Self.own, site)
        #expect(claims.status == 400 && claims["sub"] == nil)
        expectReadable(claims, by: nil, "userinfo")
        // Without Fetch metadata, the sender can be a program. No page can read the responses.
        let redeemed = try await post(.token, code, from: Self.own, isOld: true, site)
        let renewed = try await post(.token, try renewal(redeemed, "app"), from: Self.own, isOld: true, site)
        let access = tokens["access_token"]?.string
        let read = try await userinfo(access, from: Self.own, isOld: true, site)
        for answer in [redeemed, renewed, read] {
            #expect(answer.status == 200, "\(answer.text)")
            expectReadable(answer, by: nil, "without metadata")
        }
        #expect(try await site.refresh(try #require(tokens["refresh_token"]?.string)).status == 200)
    }

    @Test("Fetch §3.2: a page of a browser client reads the errors of requests that name no client")
    func errors() async throws {
        let site = try await site()
        let form = "application/x-www-form-urlencoded"
        for origin in [Self.own, Self.other, "https://elsewhere.example"] {
            let isKnown = origin != "https://elsewhere.example"
            for token in [nil, "made-up", "a.b.c"] {
                let answer = try await userinfo(token, from: origin, site)
                #expect(answer.status == (isKnown ? 401 : 400), "\(origin) \(token ?? "-"): \(answer.text)")
                #expect(answer.headers[.wwwAuthenticate]?.hasPrefix("Bearer") == (isKnown ? true : nil))
                expectReadable(answer, by: isKnown ? origin : nil, "userinfo \(token ?? "-")")
            }
            let malformed: [(AuthorityEndpoint, type: String, body: String)] = [
                (.token, "application/json", "{}"), (.token, form, "client_id=%zz"), (.revocation, "text/plain", "x"),
                (.userinfo, form, "access_token=a&access_token=b"), (.userinfo, form, "access_token=%zz"),
            ]
            for (endpoint, type, body) in malformed {
                var fields = try Self.fields(of: origin)
                fields[.contentType] = type
                let answer = try await site.send(.post, Self.path(endpoint), headers: fields, body: body)
                #expect(answer.status == 400 && answer.error == "invalid_request", "\(endpoint): \(answer.text)")
                expectReadable(answer, by: isKnown ? origin : nil, "\(endpoint) \(type)")
            }
        }
        var fields = try Self.fields(of: Self.own)
        fields[.contentType] = "application/json"
        let answer = try await site.send(.post, Self.path(.introspection), headers: fields, body: "{}")
        expectReadable(answer, by: nil, "introspection")
    }

    @Test("a program that sends no Origin uses a browser client") func program() async throws {
        let site = try await site()
        let code = redemption(try await site.code(client: "page"))
        let tokens = try await post(.token, code, from: nil, isOld: true, site)
        #expect(tokens.status == 200, "\(tokens.text)")
        expectReadable(tokens, by: nil, "program")
        let renewed = try await post(.token, try renewal(tokens), from: nil, isOld: true, site)
        #expect(renewed.status == 200, "\(renewed.text)")
    }

    @Test("RFC 6454 §5: in an old browser, a page of the authority's host that came over http is of another origin")
    func scheme() async throws {
        let site = try await site()
        let code = redemption(try await site.code(client: "page"))
        let insecure = Site.base.replacing("https:", with: "http:")
        let refused = try await post(.token, code, from: insecure, isOld: true, site)
        #expect(refused.status == 400 && refused.error == "invalid_request", "\(refused.text)")
        expectReadable(refused, by: nil, "http")
        let own = try await post(.token, code, from: Site.base, isOld: true, site)
        #expect(own.status == 200, "\(own.text)")
        expectReadable(own, by: nil, "the authority itself")
    }

    @Test(
        "the refresh tokens of a public client that becomes a browser client expire 24 hours after the sign-in",
        arguments: [86_399, 86_400]
    )
    func changed(_ age: Int64) async throws {
        let uris = [Site.redirectURI]
        let site = try await Site(
            clients: [Self.client("page", uris, .public)],
            reloaded: [Self.client("page", uris)]
        )
        let tokens = try await site.tokens(client: "page")
        let token = try #require(tokens["refresh_token"]?.string, "\(tokens.text)")
        site.time.advance(by: .seconds(age))
        let renewed = try await site.refresh(token, ["client_id": "page"], daemon: 1)
        if age < 86_400 {
            #expect(renewed.status == 200 && renewed["refresh_token_expires_in"]?.int == 1, "\(renewed.text)")
        } else {
            #expect(renewed.status == 400 && renewed.error == "invalid_grant", "\(renewed.text)")
            #expect(try await site.refresh(token, ["client_id": "page"]).status == 200)
        }
    }

    @Test("the refresh tokens of a browser client are replaced, and all expire 24 hours after the sign-in")
    func lifetime() async throws {
        let site = try await site()
        var tokens = try await post(.token, redemption(try await site.code(client: "page")), from: Self.own, site)
        var left: [Int64] = []
        for wait in [0, 8, 8] {
            site.time.advance(by: .seconds(wait * 3600))
            let renewed = try await post(.token, try renewal(tokens), from: Self.own, site)
            #expect(renewed.status == 200, "\(renewed.text)")
            #expect(renewed["refresh_token"]?.string != tokens["refresh_token"]?.string)
            left.append(try #require(renewed["refresh_token_expires_in"]?.int))
            tokens = renewed
        }
        let expected: [Int64] = [86_400, 57_600, 28_800]
        #expect(left == expected)
        site.time.advance(by: .seconds(8 * 3600 - 1))
        tokens = try await post(.token, try renewal(tokens), from: Self.own, site)
        #expect(tokens.status == 200, "\(tokens.text)")
        site.time.advance(by: .seconds(1))
        let late = try await post(.token, try renewal(tokens), from: Self.own, site)
        #expect(late.status == 400 && late.error == "invalid_grant")
        expectReadable(late, by: Self.own, "late")
    }

    @Test("RFC 9700 §4.1.3: a redirect URI of a browser client is exact, including the port of a loopback address")
    func redirectURIs() async throws {
        let site = try await site()
        func authorize(_ client: String, _ uri: String) async throws -> Site.Answer {
            try await site.authorize(["client_id": client, "redirect_uri": uri, "prompt": "none"])
        }
        let taken = try await authorize("page", Self.loopback)
        #expect(taken.location.hasPrefix(Self.loopback), "\(taken.status) \(taken.text)")
        for uri in ["http://localhost:5174/", "http://localhost/", "http://localhost:5173", "http://127.0.0.1:5173/"] {
            let refused = try await authorize("page", uri)
            #expect(refused.status == 400 && refused.location.isEmpty, "\(uri)")
        }
    }
}
