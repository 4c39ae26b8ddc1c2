import HTTPTypes
import LocalIssuer
import OAuth
import TablesServer
import TestSupport
import Testing

/// Tests of RFC 9728, by which a client that knows only the API's address finds the API's authority.
@Suite(.timeLimit(.minutes(1)))
struct ProtectedResourceTests {
    private static let uri = "https://tasks.example"
    private static let wellKnown = "/.well-known/oauth-protected-resource"

    @Test("RFC 9728 §2: the metadata names the resource, its authorities in their order, and its scopes")
    func metadata()
        async throws
    {
        let policies = ["b2c_1_sign_up", "b2c_1_sign_in"]
        func two(_ trust: inout Trust) { trust.policies = policies }
        try await TestAPI.run(trust: two, resource: Self.uri) { api in
            let answer = try await api.send(.get, Self.wellKnown, token: nil)
            let issuers = policies.map { "\(api.issuer.base)/\(api.issuer.tenant)/\($0)/v2.0" }
            #expect(answer.status == 200)
            #expect(answer.json?["resource"]?.string == Self.uri)
            #expect(answer.json?["authorization_servers"]?.strings == issuers)
            #expect(answer.json?["scopes_supported"]?.strings == ["accessRestricted", "tasks.read", "tasks.write"])
            #expect(answer.json?["bearer_methods_supported"]?.strings == ["header"])
        }
    }

    @Test(
        "scopes that the first trusted issuer does not grant are not listed, since a client requests all listed scopes"
    )
    func granted() async throws {
        try await TestAPI.run(resource: Self.uri) { api in
            api.issuer.name(scopes: ["openid", "tasks/tasks.read", "tasks/tasks.write"])
            let answer = try await api.send(.get, Self.wellKnown, token: nil)
            #expect(answer.json?["scopes_supported"]?.strings == ["tasks.read", "tasks.write"])
            api.issuer.name(scopes: ["openid"])
            _ = try await api.send(.get, Self.wellKnown, token: nil)
            #expect(api.issuer.requests.filter { $0.contains("oauth-authorization-server") }.count == 1)
        }
    }

    @Test("an unreachable authority is 503 with a time to wait, and a warning with the correlation id")
    func down() async throws {
        let log = LogLines()
        try await TestAPI.run(resource: Self.uri, logger: log.logger) { api in
            api.issuer.behave(.down)
            let id = "2f1bd0ae-7a3c-4a7e-9d0c-5b8d6f4e1a22"
            let answer = try await api.send(.get, Self.wellKnown, token: nil, ["client-request-id": id])
            #expect(answer.status == 503 && answer["Retry-After"] != nil)
            let warnings = log.all.filter { $0.hasPrefix("warning: an authority's keys are not available") }
            #expect(warnings.count == 1 && warnings.allSatisfy { $0.contains("correlationId=\(id)") }, "\(log.all)")
        }
    }

    @Test("the default policy is listed if every policy is trusted") func defaultPolicy() async throws {
        try await TestAPI.run(resource: Self.uri) { api in
            let answer = try await api.send(.get, Self.wellKnown, token: nil)
            let issuer = "\(api.issuer.base)/\(api.issuer.tenant)/b2c_1_sign_up_or_in/v2.0"
            #expect(answer.json?["authorization_servers"]?.strings == [issuer])
        }
    }

    @Test("RFC 9728 §3.1: the metadata path of a resource with a path precedes that path") func path() async throws {
        try await TestAPI.run(resource: "https://tasks.example/of/ours") { api in
            let answer = try await api.send(.get, "\(Self.wellKnown)/of/ours", token: nil)
            #expect(answer.json?["resource"]?.string == "https://tasks.example/of/ours")
            let refused = try await api.send(.get, "/protected", token: nil)
            let address = "https://tasks.example\(Self.wellKnown)/of/ours"
            #expect(refused["WWW-Authenticate"] == "Bearer resource_metadata=\"\(address)\"")
            #expect(try await api.send(.get, Self.wellKnown, token: nil).status == 404)
        }
    }

    @Test(
        "RFC 9728 §5.1: every 401 names the metadata in addition to its other parameters",
        arguments: ["/tables/todoitem", "/protected", "/.auth/me", "/api/balance", "/api/tasks"]
    )
    func challenges(_ path: String) async throws {
        try await TestAPI.run(resource: Self.uri) { api in
            let address = "\(Self.uri)\(Self.wellKnown)"
            for token in [nil, "x.y.z"] {
                let answer = try await api.send(.get, path, token: token)
                let challenge = answer["WWW-Authenticate"].flatMap { WWWAuthenticate($0) }
                #expect(answer.status == 401 && challenge?.resourceMetadata == address)
                #expect(challenge?.error == (token == nil ? nil : .invalidToken))
            }
            let unproved = try await api.send(.get, "/api/balance", token: try api.token())
            let challenge = unproved["WWW-Authenticate"].flatMap { WWWAuthenticate($0) }
            #expect(challenge?.error == .insufficientUserAuthentication && challenge?.resourceMetadata == address)
        }
    }

    @Test("an API without a configured URI has no metadata, and no challenge names any") func unnamed() async throws {
        try await TestAPI.run { api in
            let metadata = try await api.send(.get, Self.wellKnown, token: nil)
            #expect(metadata.status == 404)
            let refused = try await api.send(.get, "/protected", token: nil)
            #expect(refused["WWW-Authenticate"] == "Bearer")
        }
    }
}
