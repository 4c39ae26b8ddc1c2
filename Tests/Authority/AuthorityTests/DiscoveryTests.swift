import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import Policies
import TestSupport
import Testing
import Tokens

@testable import Authority

@Suite(.timeLimit(.minutes(2)), .indexedStatements)
struct DiscoveryTests {
    @Test("RFC 8414 §3.3: the issuer is the requested address in lower case") func metadata() async throws {
        let scene = try await Scene()
        let metadata = try #require(scene.authority.issuers.metadata(policy: "B2C_1_Sign_In"))
        #expect(metadata.issuer == "http://localhost:8420/local/b2c_1_sign_in/v2.0")
        #expect(metadata.jwksURI == "http://localhost:8420/local/b2c_1_sign_in/discovery/v2.0/keys")
        #expect(metadata.tokenEndpoint == "http://localhost:8420/local/b2c_1_sign_in/oauth2/v2.0/token")
        #expect(metadata.grantTypes.contains("client_credentials"))
        #expect(metadata.acrValues == ["1", "2"])
        #expect(metadata.scopes.contains("tasks/tasks.read"))
        #expect(metadata.scopes.starts(with: ["openid", "profile", "email", "offline_access"]))
        #expect(metadata.claims.contains("town"))
        // OpenID Connect Discovery §3: the list must include RS256.
        #expect(metadata.idTokenSigningAlgorithms == ["ES256", "EdDSA", "RS256"])
        #expect(scene.authority.issuers.metadata(policy: "b2c_1_nothing") == nil)
        #expect(scene.authority.issuers.metadata(policy: "../x") == nil)
    }
}
