import Authority
import AuthorityStore
import HTTPTypes
import OAuth
import Testing

/// Tokens of another tenant, which the same database and the same keys serve.
@Suite(.timeLimit(.minutes(2)))
struct HostileTenantTests {
    /// What an endpoint of a tenant answers.
    private func ask(
        _ site: Site,
        _ endpoint: AuthorityEndpoint,
        _ token: String,
        tenant: String
    ) async throws -> Site.Answer {
        let daemon = tenant == Site.otherTenant ? 2 : 0
        let path = "/\(tenant)/\(Site.policy)\(endpoint.path)"
        guard endpoint == .introspection else {
            return try await site.send(.get, path, headers: [.authorization: "Bearer \(token)"], daemon: daemon)
        }
        let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        let body = "client_id=web&client_secret=\(Site.secret)&token=\(token)"
        return try await site.send(.post, path, headers: form, body: body, daemon: daemon)
    }

    @Test("a person's token of another tenant opens nothing at userinfo, and is not active at introspection")
    func person() async throws {
        let site = try await Site()
        let code = try await site.code(scopes: ["openid", "tasks.read"], daemon: 2)
        let redeemed = try await site.send(
            .post,
            "/\(Site.otherTenant)/\(Site.policy)\(AuthorityEndpoint.token.path)",
            headers: [.contentType: "application/x-www-form-urlencoded"],
            body: Form.encoded([
                ("grant_type", "authorization_code"), ("client_id", "app"), ("code", code),
                ("redirect_uri", Site.redirectURI), ("code_verifier", Site.verifier),
            ]),
            daemon: 2
        )
        let token = try #require(redeemed["access_token"]?.string, "\(redeemed.text)")
        #expect(try await ask(site, .userinfo, token, tenant: Site.otherTenant).status == 200)
        #expect(try await ask(site, .introspection, token, tenant: Site.otherTenant)["active"] == true)
        let refused = try await ask(site, .userinfo, token, tenant: "local")
        #expect(refused.status == 401)
        #expect(try await ask(site, .introspection, token, tenant: "local").json == ["active": false])
    }

    @Test("a client's own token of another tenant is not active at introspection") func client() async throws {
        let site = try await Site()
        let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        let body = "grant_type=client_credentials&scope=tasks.read&client_id=web&client_secret=\(Site.secret)"
        let path = "/\(Site.otherTenant)/\(Site.policy)\(AuthorityEndpoint.token.path)"
        let answer = try await site.send(.post, path, headers: form, body: body, daemon: 2)
        let token = try #require(answer["access_token"]?.string)
        #expect(try await ask(site, .introspection, token, tenant: Site.otherTenant)["active"] == true)
        #expect(try await ask(site, .introspection, token, tenant: "local").json == ["active": false])
    }
}
