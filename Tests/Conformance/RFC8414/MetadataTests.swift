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
struct RFC8414MetadataTests {
    private let policy = "/local/\(Site.policy)"

    @Test("RFC 8414 §3: both well-known paths, /tfp/ and ?p= return one document with one issuer") func addresses()
        async throws
    {
        let site = try await Site()
        let paths = [
            "\(policy)/v2.0/.well-known/openid-configuration",
            "/.well-known/oauth-authorization-server\(policy)/v2.0",
            "/tfp\(policy)/v2.0/.well-known/openid-configuration",
            "/local/v2.0/.well-known/openid-configuration?p=B2C_1_Sign_In",
            "/LOCAL/B2C_1_SIGN_IN/v2.0/.well-known/openid-configuration",
        ]
        for path in paths {
            let answer = try await site.send(.get, path)
            #expect(answer.status == 200, "\(path)")
            #expect(answer["issuer"]?.string == Site.issuer)
        }
        #expect(try await site.send(.get, "/local/v2.0/.well-known/openid-configuration?p=b2c_1_none").status == 404)
        #expect(try await site.send(.get, "/local/v2.0/.well-known/openid-configuration").status == 404)
    }

    @Test("RFC 8414 §2: every listed endpoint responds, and every endpoint is listed") func endpoints()
        async throws
    {
        let site = try await Site()
        let metadata = try await site.send(.get, "\(policy)/v2.0/.well-known/openid-configuration")
        let named = (metadata.json?.object ?? [:]).filter { $0.key.hasSuffix("_endpoint") || $0.key == "jwks_uri" }
        #expect(named.count == AuthorityEndpoint.allCases.count)
        for endpoint in AuthorityEndpoint.allCases {
            #expect(named.values.contains(.string(Site.base + policy + endpoint.path)), "\(endpoint)")
        }
        for (name, value) in named {
            let path = try #require(value.string).dropFirst(Site.base.count)
            let answers = [
                try await site.send(.get, String(path)),
                try await site.send(.post, String(path), headers: [.contentType: "application/x-www-form-urlencoded"]),
            ]
            #expect(answers.contains { [200, 303, 400, 401, 403].contains($0.status) }, "\(name)")
            #expect(!answers.contains { $0.status == 404 || $0.status >= 500 }, "\(name)")
        }
    }

    @Test("RFC 8414 §2: the listed grants and authentication methods are those that are accepted")
    func lists() async throws {
        let json = try await Site().send(.get, "\(policy)/v2.0/.well-known/openid-configuration").json
        #expect(
            json?["grant_types_supported"]
                == [
                    "authorization_code", "refresh_token", "client_credentials",
                    "urn:ietf:params:oauth:grant-type:device_code",
                ]
        )
        #expect(
            json?["token_endpoint_auth_methods_supported"]
                == ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"]
        )
        #expect(
            json?["introspection_endpoint_auth_methods_supported"]
                == ["client_secret_basic", "client_secret_post", "private_key_jwt"]
        )
    }
}
