import Authority
import AuthorityStore
import FlowModel
import HTTPTypes
import OAuth
import Testing

/// Tests of tokens from another tenant that has the same database and keys.
@Suite(.timeLimit(.minutes(2)))
struct HostileTenantTests {
    /// The index of the other tenant's daemon.
    private static let other = 2

    /// Sends a token to an endpoint of a tenant, and returns the response.
    private func ask(
        _ site: Site,
        _ endpoint: AuthorityEndpoint,
        _ token: String,
        tenant: String
    ) async throws -> Site.Answer {
        let daemon = tenant == Site.otherTenant ? Self.other : 0
        let path = "/\(tenant)/\(Site.policy)\(endpoint.path)"
        guard endpoint == .introspection else {
            return try await site.send(.get, path, headers: [.authorization: "Bearer \(token)"], daemon: daemon)
        }
        let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        let body = "client_id=web&client_secret=\(Site.secret)&token=\(token)"
        return try await site.send(.post, path, headers: form, body: body, daemon: daemon)
    }

    @Test("a user's token of another tenant is rejected at userinfo and is not active at introspection")
    func person() async throws {
        let site = try await Site()
        let redeemed = try await site.tokens(scopes: ["openid", "tasks.read"], daemon: Self.other)
        let token = try #require(redeemed["access_token"]?.string, "\(redeemed.text)")
        #expect(try await ask(site, .userinfo, token, tenant: Site.otherTenant).status == 200)
        #expect(try await ask(site, .introspection, token, tenant: Site.otherTenant)["active"] == true)
        let refused = try await ask(site, .userinfo, token, tenant: "local")
        #expect(refused.status == 401)
        #expect(try await ask(site, .introspection, token, tenant: "local").json == ["active": false])
    }

    @Test("a client's token of another tenant is not active at introspection") func client() async throws {
        let site = try await Site()
        let answer = try await site.clientCredentials(daemon: Self.other)
        let token = try #require(answer["access_token"]?.string)
        #expect(try await ask(site, .introspection, token, tenant: Site.otherTenant)["active"] == true)
        #expect(try await ask(site, .introspection, token, tenant: "local").json == ["active": false])
    }

    // MARK: Single use

    @Test("a code of another tenant is invalid_grant, and remains valid at its own") func code() async throws {
        let site = try await Site()
        let code = try await site.code(daemon: Self.other)
        let refused = try await site.redeem(code)
        #expect(refused.status == 400 && refused.error == "invalid_grant" && refused["access_token"] == nil)
        #expect(try await site.redeem(code, daemon: Self.other).status == 200)
        #expect(try await site.redeem(code, daemon: Self.other).error == "invalid_grant")
    }

    @Test("a refresh token of another tenant returns nothing, revokes nothing, and remains valid at its own")
    func refresh() async throws {
        let site = try await Site()
        let first = try await site.tokens(daemon: Self.other)
        let token = try #require(first["refresh_token"]?.string, "\(first.text)")
        for _ in 0..<2 {
            let refused = try await site.refresh(token)
            #expect(refused.status == 400 && refused.error == "invalid_grant" && refused["access_token"] == nil)
        }
        // Introspection does not recognize the token, and revocation does not revoke it.
        let web = ("web", Site.secret)
        #expect(try await site.post(.introspection, ["token": token], basic: web).json == ["active": false])
        #expect(try await site.post(.revocation, ["token": token, "client_id": "app"]).status == 200)
        let second = try await site.refresh(token, daemon: Self.other)
        let successor = try #require(second["refresh_token"]?.string, "\(second.text)")
        // Presenting a used token at the wrong tenant does not count as a second use, so the successor remains valid.
        #expect(try await site.refresh(token).error == "invalid_grant")
        #expect(try await site.refresh(successor, daemon: Self.other).status == 200)
    }

    @Test("a device code of another tenant is invalid_grant, and its user code is unknown there") func device()
        async throws
    {
        let site = try await Site()
        let parameters = ["client_id": "app", "scope": "openid tasks.read"]
        let asked = try await site.post(.deviceAuthorization, parameters, daemon: Self.other)
        let code = try #require(asked["device_code"]?.string, "\(asked.text)")
        let userCode = try #require(asked["user_code"]?.string)
        let poll = [
            "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": code, "client_id": "app",
        ]
        #expect(try await site.post(.token, poll).error == "invalid_grant")
        let place = Origin.address("192.0.2.1")
        #expect(try await site.authority.devices.find(userCode: userCode, from: place) == nil)
        let authority = site.daemons[Self.other].authority
        let device = try #require(try await authority.devices.find(userCode: userCode, from: place))
        let session = try await site.session(daemon: Self.other)
        try await authority.devices.approve(device, session: session, Caller(owner: Site.owner))
        #expect(try await site.post(.token, poll).error == "invalid_grant")
        #expect(try await site.post(.token, poll, daemon: Self.other).status == 200)
    }

    @Test("a pushed request of another tenant is rejected, and remains valid at its own") func pushed() async throws {
        let site = try await Site()
        let pushed = try await site.post(
            .pushedRequests,
            [
                "response_type": "code", "redirect_uri": Site.redirectURI, "scope": "openid tasks.read",
                "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
            ],
            basic: ("web", Site.secret),
            daemon: Self.other
        )
        let uri = try #require(pushed["request_uri"]?.string, "\(pushed.text)")
        let query = Form.encoded([(name: "client_id", value: "web"), (name: "request_uri", value: uri)])
        let open = { (daemon: Int) in
            let path = "/\(Site.tenant(daemon))/\(Site.policy)\(AuthorityEndpoint.authorize.path)?\(query)"
            return try await site.send(.get, path, daemon: daemon)
        }
        let refused = try await open(0)
        #expect(refused.status == 400 && refused.location.isEmpty)
        #expect(try await open(Self.other).status == 303)
    }

    // MARK: Browsers

    @Test("a user signed in at another tenant must sign in, and a hint of its tokens names no user") func session()
        async throws
    {
        let site = try await Site()
        let silent: [String: String?] = ["prompt": "none"]
        let theirs = try await site.authorize(silent, isSignedIn: true, daemon: Self.other)
        let code = try #require(theirs.reply["code"], "\(theirs.location)")
        let tokens = try await site.redeem(code, daemon: Self.other)
        #expect(try await site.authorize(silent, cookie: Site.cookie).reply["error"] == "login_required")
        let hint = try #require(tokens["id_token"]?.string, "\(tokens.text)")
        let named = try await site.authorize(["prompt": "none", "id_token_hint": hint], isSignedIn: true)
        #expect(named.reply["error"] == "invalid_request")
        #expect(try await site.authorize(silent, isSignedIn: true).reply["code"] != nil)
    }

    @Test("the pages of a flow open only at the tenant where it started") func pages() async throws {
        let site = try await Site()
        let begun = try await site.authorize(daemon: Self.other)
        let place = begun.location
        #expect(begun.status == 303 && place.hasPrefix("/\(Site.otherTenant)/flow/"), "\(place)")
        let cookie = begun.headers[values: .setCookie].map { String($0.prefix { $0 != ";" }) }.joined(separator: "; ")
        #expect(try await site.send(.get, place, headers: [.cookie: cookie], daemon: Self.other).status == 200)
        let there = place.replacing("/\(Site.otherTenant)/", with: "/local/")
        #expect(try await site.send(.get, there, headers: [.cookie: cookie]).status == 404)
    }
}
