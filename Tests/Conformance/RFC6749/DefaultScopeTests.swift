import Authority
import Crypto
import FlowModel
import Foundation
import OAuth
import TestSupport
import Testing
import Tokens

/// Tests of requests without `scope`.
@Suite(.timeLimit(.minutes(2)))
struct RFC6749DefaultScopeTests {
    /// The endpoints that accept a request without `scope`.
    enum Endpoint: CaseIterable { case authorize, pushedRequests, deviceAuthorization }

    private static let resource = "https://tasks.example"

    /// Creates an authority with two additional clients.
    ///
    /// The client `both` may request tokens for both APIs, and the client `limited` may request no scope of `tasks`.
    private func site(_ defaultScopes: [String]) async throws -> Site {
        let clients = [("both", ["tasks", "notes"], []), ("limited", ["tasks"], ["notes/notes.read"])]
            .map { id, apis, scopes in
                OAuthClient(
                    ClientSummary(
                        client: id,
                        name: id,
                        type: .confidential,
                        redirectURIs: [Site.redirectURI],
                        scopes: scopes,
                        configured: true
                    ),
                    isFirstParty: true,
                    apis: apis,
                    grants: GrantType.allCases,
                    secretHash: Secret(bytes: SHA256.hash(data: Data(Site.secret.utf8)))
                )
            }
        return try await Site(clients: clients, defaultScopes: defaultScopes)
    }

    /// Sends a request without `scope`, and returns the token response, or the error that rejects the request.
    private func ask(
        _ site: Site,
        at endpoint: Endpoint,
        client: String = "web",
        resource: String? = nil
    ) async throws -> (tokens: Site.Answer?, error: String?, description: String) {
        var changes: [String: String?] = ["client_id": client, "scope": nil, "resource": resource]
        let basic = (client, Site.secret)
        switch endpoint {
        case .authorize: break
        case .pushedRequests:
            let pushed = try await site.post(
                .pushedRequests,
                [
                    "response_type": "code", "redirect_uri": Site.redirectURI, "state": "s",
                    "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
                ].merging(resource.map { ["resource": $0] } ?? [:]) { $1 },
                basic: basic
            )
            guard let reference = pushed["request_uri"]?.string else { return (nil, pushed.error, pushed.description) }
            changes["request_uri"] = reference
        case .deviceAuthorization:
            let asked = try await site.post(
                .deviceAuthorization,
                resource.map { ["resource": $0] } ?? [:],
                basic: basic
            )
            guard let code = asked["device_code"]?.string, let shown = asked["user_code"]?.string else {
                return (nil, asked.error, asked.description)
            }
            let found = try await site.authority.devices.find(userCode: shown, from: .address("192.0.2.1"))
            let caller = Caller(owner: Site.owner)
            try await site.authority.devices.approve(
                try #require(found),
                session: try await site.session(),
                caller
            )
            let poll = ["grant_type": GrantType.deviceCode.wireName, "device_code": code]
            return (try await site.post(.token, poll, basic: basic), nil, "")
        }
        let reply = try await site.authorize(changes, isSignedIn: true).reply
        guard let code = reply["code"] else { return (nil, reply["error"], reply["error_description"] ?? "") }
        let tokens = try await site.redeem(code, ["client_id": client, "client_secret": Site.secret])
        return (tokens, nil, "")
    }

    /// Returns the scopes of the access token for the API `tasks`, or `nil` if the token has no scope claim.
    private func scopes(_ tokens: Site.Answer?, _ site: Site) async throws -> String? {
        let access = try #require(tokens?["access_token"]?.string, "\(tokens?.text ?? "no response")")
        let claims = try await site.claims(access, .accessToken, audience: "tasks-audience")
        #expect(claims["scope"] == claims["scp"])
        return claims["scope"]?.string
    }

    @Test(
        "RFC 6749 §3.3: without scope, a client gets the default scopes of the API, and no openid",
        arguments: Endpoint.allCases,
        ["web", "both"]
    )
    func granted(_ endpoint: Endpoint, _ client: String) async throws {
        let site = try await site(["tasks.read"])
        let resource = client == "both" ? Self.resource : nil
        let asked = try await ask(site, at: endpoint, client: client, resource: resource)
        let tokens = try #require(asked.tokens, "\(asked.description)")
        let scopes = try await scopes(tokens, site)
        #expect(scopes == "tasks.read")
        #expect(tokens["scope"]?.string == "tasks.read")
        #expect(tokens["id_token"] == nil && tokens["refresh_token"] == nil)
    }

    @Test(
        "RFC 6749 §3.3: without scope and resource, a request of a client for two APIs is rejected",
        arguments: Endpoint.allCases
    )
    func undetermined(_ endpoint: Endpoint) async throws {
        let site = try await site([])
        let asked = try await ask(site, at: endpoint, client: "both")
        #expect(asked.tokens == nil && asked.error == "invalid_scope")
        #expect(asked.description.hasPrefix("AADB2C90010: "), "\(asked.description)")
        // The same client can name one of the APIs.
        let named = try await ask(site, at: endpoint, client: "both", resource: Self.resource)
        #expect(named.tokens?.status == 200)
    }

    @Test(
        "RFC 6749 §3.3: an added API without default scopes changes no request without scope",
        arguments: Endpoint.allCases
    )
    func added(_ endpoint: Endpoint) async throws {
        let site = try await site(["tasks.read"])
        let asked = try await ask(site, at: endpoint, client: "both")
        let scopes = try await scopes(asked.tokens, site)
        #expect(scopes == "tasks.read", "\(asked.description)")
    }

    @Test(
        "RFC 6749 §3.3: without scope and default scopes, the token has no scopes and no scope claim",
        arguments: Endpoint.allCases
    )
    func empty(_ endpoint: Endpoint) async throws {
        let site = try await site([])
        let tokens = try await ask(site, at: endpoint).tokens
        let scopes = try await scopes(tokens, site)
        #expect(scopes == nil)
        #expect(tokens?["scope"] == nil)
        #expect(tokens?["id_token"] == nil)
    }

    @Test(
        "RFC 6749 §3.3: without scope, a client that may request no scope of the API is rejected",
        arguments: Endpoint.allCases,
        [[], ["tasks.read"]]
    )
    func forbidden(_ endpoint: Endpoint, _ defaultScopes: [String]) async throws {
        let site = try await site(defaultScopes)
        let asked = try await ask(site, at: endpoint, client: "limited")
        #expect(asked.tokens == nil && asked.error == "invalid_scope")
        #expect(asked.description.hasPrefix("AADB2C90205: "), "\(asked.description)")
    }

    @Test("RFC 6749 §3.3: without scope, a policy that grants none of the default scopes rejects the request")
    func ungranted() async throws {
        // The policy grants `tasks.read` only.
        let site = try await site(["tasks.write"])
        let reply = try await site.authorize(["client_id": "web", "scope": nil], policy: Site.federated).reply
        #expect(reply["code"] == nil && reply["error"] == "invalid_scope")
        let description = reply["error_description"] ?? ""
        #expect(description.hasPrefix("AADB2C90205: "), "\(description)")
    }
}
