import Authority
import FlowModel
import Foundation
import HTTPTypes
import OAuth
import TestSupport
import Testing
import Tokens

/// Tests of the provider metadata of an issuer (OpenID Connect Discovery 1.0).
@Suite(.timeLimit(.minutes(2)))
struct OIDCDiscoveryConfigurationTests {
    private static let well = "/.well-known/openid-configuration"

    private func configuration(_ site: Site, _ policy: String = Site.policy) async throws -> Site.Answer {
        try await site.send(.get, "/local/\(policy)/v2.0\(Self.well)")
    }

    @Test("OpenID Connect Discovery §3: the required members exist, and the algorithms include RS256") func required()
        async throws
    {
        let site = try await Site()
        let answer = try await configuration(site)
        for (name, endpoint) in [
            ("authorization_endpoint", AuthorityEndpoint.authorize), ("token_endpoint", .token), ("jwks_uri", .keys),
            ("userinfo_endpoint", .userinfo),
        ] {
            #expect(answer[name]?.string == "\(Site.base)/local/\(Site.policy)\(endpoint.path)")
        }
        #expect(answer["response_types_supported"] == ["code"])
        #expect(answer["subject_types_supported"] == ["public"])
        #expect(answer["id_token_signing_alg_values_supported"]?.strings?.contains("RS256") == true)
        #expect(answer["scopes_supported"]?.strings?.contains("openid") == true)
    }

    @Test("OpenID Connect Discovery §3: the issuer is an https URL without query and fragment") func issuer()
        async throws
    {
        let site = try await Site()
        for policy in [Site.policy, "b2c_1_other", Site.federated] {
            let issuer = try #require(try await configuration(site, policy)["issuer"]?.string)
            let address = try #require(URL(string: issuer))
            #expect(address.scheme == "https" && address.query == nil && address.fragment == nil)
            // The path of the document is the issuer followed directly by the well-known path (§4.1, §4.3).
            let found = try await site.send(.get, String(issuer.dropFirst(Site.base.count)) + Self.well)
            #expect(found.status == 200 && found["issuer"]?.string == issuer)
        }
    }

    @Test("OpenID Connect Discovery §3: every listed response mode, prompt, scope and method is accepted")
    func named() async throws {
        let site = try await Site()
        let answer = try await configuration(site)
        func list(_ name: String) throws -> [String] { try #require(answer[name]?.strings) }
        // The metadata also lists scopes that only clients of another API may request.
        let scopes = try list("scopes_supported").filter { !$0.hasPrefix("notes/") }
        #expect(scopes.contains("tasks/tasks.read") && scopes.contains("offline_access"))
        let prompts = try list("prompt_values_supported").filter { $0 != "none" }
        let methods = try list("code_challenge_methods_supported")
        #expect(prompts.contains("login") && methods == ["S256"])
        var asked: [[String: String?]] = scopes.map { ["scope": "openid \($0)"] }
        asked += prompts.map { ["prompt": $0] } + methods.map { ["code_challenge_method": $0] }
        for changes in asked {
            let answer = try await site.authorize(changes)
            #expect(answer.status == 303 && answer.location.hasPrefix("/local/flow/"), "\(changes)")
        }
        let modes = try list("response_modes_supported")
        #expect(Set(modes).isSuperset(of: ["query", "form_post"]), "\(modes)")
        for mode in modes {
            let answer = try await site.authorize(["response_mode": mode], isSignedIn: true)
            #expect((answer.location + answer.text).contains(/[?#&]code=|name="code"/), "\(mode)")
            #expect(!answer.location.contains("error") && !answer.location.hasPrefix("/local/flow/"), "\(mode)")
        }
    }

    @Test("OpenID Connect Discovery §3: a prompt that the policy rejects is not listed") func prompts() async throws {
        let site = try await Site()
        let named = try #require(try await configuration(site)["prompt_values_supported"]?.strings)
        #expect(named == ["none", "login", "consent", "select_account"])
        #expect(try await site.authorize(["prompt": "create"]).reply["error"] == "invalid_request")
    }

    @Test("OpenID Connect Discovery §3: request objects are declared unsupported, since the default is supported")
    func requestObjects() async throws {
        let answer = try await configuration(try await Site())
        #expect(answer["request_uri_parameter_supported"] == false)
        #expect(answer["request_parameter_supported"] == false)
    }

    @Test("OpenID Connect Discovery §3: the claims parameter is declared supported, since the default is unsupported")
    func claimsParameter() async throws {
        let site = try await Site()
        #expect(try await configuration(site)["claims_parameter_supported"] == true)
        let asked = #"{"id_token":{"acr":{"essential":true,"values":["99"]}}}"#
        let answer = try await site.authorize(["claims": asked, "prompt": "none"])
        #expect(answer.reply["error"] == "unmet_authentication_requirements")
    }

    @Test("OpenID Connect Discovery §3: the keys are public, for signatures, and include the ID token's key")
    func keys() async throws {
        let site = try await Site()
        let address = try #require(try await configuration(site)["jwks_uri"]?.string)
        let answer = try await site.send(.get, String(address.dropFirst(Site.base.count)))
        let keys = (answer["keys"]?.array ?? []).compactMap(\.object)
        #expect(!keys.isEmpty)
        for key in keys {
            #expect(key["use"] == "sig" && key["kid"]?.string?.isEmpty == false)
            #expect(Set(key.keys).isDisjoint(with: ["d", "p", "q", "dp", "dq", "qi", "k"]))
        }
        let token = try #require(try await site.tokens()["id_token"]?.string)
        let jwt = try UnverifiedJWT(token)
        let kid = try #require(jwt.kid)
        #expect(keys.contains { $0["kid"]?.string == kid })
    }

    @Test("OpenID Connect Discovery §3: a user has the same subject at every client, as subject type public requires")
    func subjects() async throws {
        let site = try await Site()
        var subjects: Set<String> = []
        for client in ["app", "other"] {
            let token = try #require(try await site.tokens(client: client)["id_token"]?.string)
            let claims = try UnverifiedClaims.of(token)
            subjects.insert(try #require(claims["sub"]?.string))
        }
        #expect(subjects == [Site.user.oid])
    }

    @Test("OpenID Connect Discovery §4.2: the response is JSON, and empty lists are left out") func shape()
        async throws
    {
        let site = try await Site()
        for policy in [Site.policy, Site.federated] {
            let answer = try await configuration(site, policy)
            #expect(answer.status == 200 && answer.headers[.contentType] == "application/json")
            let members = try #require(answer.json?.object)
            #expect(members.count > 20)
            for (name, value) in members {
                #expect(value != .null && value.array?.isEmpty != true && value.string?.isEmpty != true, "\(name)")
            }
        }
    }

    @Test("OpenID Connect Discovery §2: WebFinger does not find issuers") func webFinger() async throws {
        let site = try await Site()
        let query = "?resource=acct%3Aada%40login.example&rel=http%3A%2F%2Fopenid.net%2Fspecs%2Fconnect%2F1.0%2Fissuer"
        #expect(try await site.send(.get, "/.well-known/webfinger\(query)").status == 404)
    }
}
