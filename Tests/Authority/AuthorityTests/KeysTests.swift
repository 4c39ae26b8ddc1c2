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
struct KeysTests {
    @Test("the first start creates a signing key, and the next start uses it") func start() async throws {
        let scene = try await Scene()
        let keys = try await scene.authority.keys.list()
        #expect(keys.map(\.alg) == [.es256])
        #expect(keys.map(\.state) == [.active])
        let other = try scene.secondDaemon()
        try await other.start()
        #expect(try await other.keys.list().map(\.kid) == keys.map(\.kid))
        #expect(try await other.issuers.jwks() == scene.authority.issuers.jwks())
    }

    @Test("a client that requests RS256 gets it") func rs256() async throws {
        let web = OAuthClient(
            ClientSummary(client: "web", name: "web", signing: TokenSigning(idToken: .rs256), configured: true),
            isFirstParty: true,
            apis: ["tasks"]
        )
        let scene = try await Scene(settings: Scene.settings(clients: [web]))
        try await scene.signUp()
        let issued = try await scene.issued(TokenRequest("tasks.read") { $0.client = "web" }, signUp: false)
        #expect(try UnverifiedJWT(issued.idToken.reveal()).alg == "RS256")
        #expect(try UnverifiedJWT(issued.accessToken.reveal()).alg == "ES256")
        _ = try await scene.claims(issued, type: .jwt)
    }

    @Test(
        "a client's access tokens are signed with the algorithm that it is registered with",
        arguments: [(TokenSigning.Algorithm.rs256, "RS256"), (.edDSA, "EdDSA"), (.es256, "ES256")]
    )
    func accessToken(_ algorithm: TokenSigning.Algorithm, _ name: String) async throws {
        let web = OAuthClient(
            ClientSummary(client: "web", name: "web", signing: TokenSigning(accessToken: algorithm), configured: true),
            isFirstParty: true,
            apis: ["tasks"]
        )
        let scene = try await Scene(settings: Scene.settings(clients: [web]))
        try await scene.signUp()
        let issued = try await scene.issued(TokenRequest("tasks.read") { $0.client = "web" }, signUp: false)
        #expect(try UnverifiedJWT(issued.accessToken.reveal()).alg == name)
        #expect(try UnverifiedJWT(issued.idToken.reveal()).alg == "ES256")
        _ = try await scene.claims(issued)
    }

    @Test("the next key is published a day before it signs, and the old one stays published for a day") func schedule()
        async throws
    {
        let scene = try await Scene()
        let first = try #require(try await scene.authority.keys.list().first)
        scene.time.advance(by: .seconds(89 * 86_400))
        await scene.authority.housekeeping()
        #expect(try await scene.authority.keys.list().map(\.state) == [.active, .published])
        scene.time.advance(by: .seconds(86_400))
        await scene.authority.housekeeping()
        #expect(try await scene.authority.keys.list().map(\.state) == [.retired, .active])
        scene.time.advance(by: .seconds(86_400))
        await scene.authority.housekeeping()
        let left = try await scene.authority.keys.list()
        #expect(left.map(\.state) == [.active])
        #expect(!left.contains { $0.kid == first.kid })
    }

    @Test("a rotation signs with a new key at once, and existing signatures stay valid") func rotation() async throws {
        let scene = try await Scene()
        let before = try await scene.issued("tasks.read")
        scene.time.advance(by: .seconds(1))
        let keys = try await scene.authority.keys.rotate(nil, scene.caller)
        #expect(keys.map(\.state) == [.retired, .active])
        let after = try await scene.issued(TokenRequest("tasks.write"), signUp: false)
        #expect(try UnverifiedJWT(after.accessToken.reveal()).kid == keys.last?.kid)
        _ = try await scene.claims(before)
        _ = try await scene.claims(after)
        #expect(try await scene.events().filter { $0.hasPrefix("key.") }.suffix(2) == ["key.retired", "key.generated"])
    }

    @Test("signatures of a revoked key become invalid, at another daemon within five seconds") func revocation()
        async throws
    {
        let scene = try await Scene()
        let issued = try await scene.issued("tasks.read")
        let other = try scene.secondDaemon()
        _ = try await other.refreshed()
        let kid = try #require(try UnverifiedJWT(issued.accessToken.reveal()).kid)
        #expect(!other.isRevoked(issued.accessToken))
        _ = try await scene.authority.keys.revoke(kid, scene.caller)
        let error = await #expect(throws: TokenError.self) { try await scene.claims(issued) }
        #expect(error?.code == .unknownKey)
        scene.time.advance(by: .seconds(5))
        _ = try await other.resolve(TokenRequest("tasks.read"))
        #expect(other.isRevoked(issued.accessToken))
        let unknown = await #expect(throws: InvalidParameters.self) {
            try await scene.authority.keys.revoke("none", scene.caller)
        }
        #expect(unknown?.text == Text("refusal.noSuchKey"))
    }

    @Test("a daemon with an outdated key reloads the keys from the store before it signs") func stale() async throws {
        let scene = try await Scene()
        let session = try await scene.signUp()
        let other = try scene.secondDaemon()
        let resolved = try await other.resolve(TokenRequest("tasks.read"))
        let keys = try await scene.authority.keys.rotate(.es256, scene.caller)
        let issued = try await other.issue(resolved, session: session.id, scene.caller)
        #expect(try UnverifiedJWT(issued.accessToken.reveal()).kid == keys.first { $0.state == .active }?.kid)
    }
}
