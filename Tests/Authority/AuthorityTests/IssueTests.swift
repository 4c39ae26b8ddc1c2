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
struct IssueTests {
    @Test("a session yields an access token as in RFC 9068 §2.2, signed by a published key") func accessToken()
        async throws
    {
        let scene = try await Scene()
        let issued = try await scene.issued("tasks.read", "tasks.write")
        let claims = try await scene.claims(issued)
        #expect(claims["iss"] == "http://localhost:8420/local/b2c_1_sign_up_or_in/v2.0")
        #expect(claims["sub"]?.string == Scene.user.oid)
        #expect(claims["oid"]?.string == Scene.user.oid)
        #expect(claims["aud"] == "tasks-audience")
        #expect(claims["client_id"] == "tokenbroker-cli")
        #expect(claims["azp"] == "tokenbroker-cli")
        #expect(claims["scope"] == "tasks.read tasks.write")
        #expect(claims["scp"] == claims["scope"])
        #expect(claims["tfp"] == "b2c_1_sign_up_or_in")
        #expect(claims["acr"] == "2")
        #expect(claims["amr"] == ["pwd", "otp"])
        #expect(claims["ver"] == "1.0")
        #expect(claims["auth_time"]?.int == scene.time.now.seconds)
        #expect(claims["exp"]?.int == scene.time.now.seconds + 3600)
        #expect(claims["jti"]?.string != nil)
        #expect(issued.expiresAt == (scene.time.now.seconds + 3600) * 1000)
    }

    @Test("the policy's claims are in both tokens, by their own or their configured names") func claims() async throws {
        let scene = try await Scene()
        let issued = try await scene.issued("tasks.read")
        for claims in [try await scene.claims(issued), try await scene.claims(issued, type: .jwt)] {
            #expect(claims["name"] == "Ada")
            #expect(claims["email"] == "ada@example.org")
            #expect(claims["town"] == "London")
            #expect(claims["city"] == nil)
        }
        #expect(try await scene.claims(issued, type: .jwt)["aud"] == "tokenbroker-cli")
        #expect(issued.claims["email"] == "ada@example.org")
    }

    @Test("of several contexts the token names the strongest requested one") func context() async throws {
        let scene = try await Scene()
        let issued = try await scene.issued(TokenRequest("tasks.read") { $0.acrValues = ["1"] })
        #expect(issued.acr == "1")
    }

    @Test("a token lives no longer than the check that its scope requires") func bound() async throws {
        let scene = try await Scene()
        try await scene.signUp()
        scene.time.advance(by: .seconds(20))
        let issued = try await scene.issued(TokenRequest("accessRestricted", "tasks.read"), signUp: false)
        #expect(issued.expiresAt == (scene.time.now.seconds + 40) * 1000)
        let plain = try await scene.issued(TokenRequest("tasks.read"), signUp: false)
        #expect(plain.expiresAt == (scene.time.now.seconds + 3600) * 1000)
    }

    @Test("a finished flow yields tokens once, with the additional scopes") func authentication() async throws {
        let scene = try await Scene()
        let request = TokenRequest("tasks.read") { $0.additionalScopes = ["tasks.write"] }
        let resolved = try await scene.authority.resolve(request)
        let (_, pending) = try #require(
            try await scene.authority.decide(resolved, for: nil, prompt: .auto, scene.caller).lacking
        )
        let early = await #expect(throws: Refusal.self) {
            try await scene.authority.issue(pending: pending.id, scene.caller)
        }
        #expect(early?.reason == .interactionRequired)
        try await scene.signUp(pending: pending)
        let stolen = await #expect(throws: Refusal.self) {
            try await scene.authority.issue(pending: pending.id, scene.caller(uid: 1001))
        }
        #expect(stolen?.reason == .interactionRequired)
        let issued = try #require(try await scene.authority.issue(pending: pending.id, scene.caller))
        #expect(issued.scopes == ["tasks.read", "tasks.write"])
        #expect(issued.claims["newUser"] == true && issued.claims["isForgotPassword"] == false)
        #expect(try await scene.authority.issue(pending: pending.id, scene.caller) == nil)
        #expect(try await scene.events().filter { $0 == "token.issued" }.count == 1)
    }

    @Test("a finished flow is valid for 120 seconds") func late() async throws {
        let scene = try await Scene()
        let resolved = try await scene.authority.resolve(TokenRequest("tasks.read"))
        let (_, pending) = try #require(
            try await scene.authority.decide(resolved, for: nil, prompt: .auto, scene.caller).lacking
        )
        try await scene.signUp(pending: pending)
        scene.time.advance(by: .seconds(121))
        let late = await #expect(throws: Refusal.self) {
            try await scene.authority.issue(pending: pending.id, scene.caller)
        }
        #expect(late?.reason == .interactionRequired)
    }

    @Test("a flow with weaker authentication than requested yields no tokens") func tooLittle() async throws {
        let scene = try await Scene()
        let resolved = try await scene.authority.resolve(TokenRequest("accessRestricted"))
        let (_, pending) = try #require(
            try await scene.authority.decide(resolved, for: nil, prompt: .auto, scene.caller).lacking
        )
        try await scene.signUp(proofs: [scene.password()], pending: pending)
        let refusal = await #expect(throws: Refusal.self) {
            try await scene.authority.issue(pending: pending.id, scene.caller)
        }
        #expect(refusal?.reason == .unmetAuthenticationRequirements)
    }

    @Test("a session that expired, belongs to another uid or is too weak yields no tokens") func deadSession()
        async throws
    {
        let scene = try await Scene()
        let session = try await scene.signUp(proofs: [scene.password()])
        let resolved = try await scene.authority.resolve(TokenRequest("tasks.read"))
        let stranger = await #expect(throws: Refusal.self) {
            try await scene.authority.issue(resolved, session: session.id, scene.caller(uid: 1001))
        }
        #expect(stranger?.reason == .interactionRequired)
        let more = try await scene.authority.resolve(TokenRequest("accessRestricted"))
        let unproved = await #expect(throws: Refusal.self) {
            try await scene.authority.issue(more, session: session.id, scene.caller)
        }
        #expect(unproved?.reason == .interactionRequired)
        _ = try await scene.authority.sessions.signOut(user: nil, scene.caller)
        let refusal = await #expect(throws: Refusal.self) {
            try await scene.authority.issue(resolved, session: session.id, scene.caller)
        }
        #expect(refusal?.reason == .interactionRequired)
    }

    @Test("a rolling session is extended by use") func rolling() async throws {
        let scene = try await Scene()
        let session = try await scene.signUp()
        let resolved = try await scene.authority.resolve(TokenRequest("tasks.read"))
        scene.time.advance(by: .seconds(80_000))
        _ = try await scene.authority.issue(resolved, session: session.id, scene.caller)
        scene.time.advance(by: .seconds(80_000))
        #expect(try await scene.authority.decide(resolved, for: nil, prompt: .auto, scene.caller).session == session.id)
    }

    @Test("a disabled user gets no tokens, also at another daemon") func disabled() async throws {
        let scene = try await Scene()
        let session = try await scene.signUp()
        let other = try scene.secondDaemon()
        let resolved = try await other.resolve(TokenRequest("tasks.read"))
        try await scene.store.users.setEnabled(Scene.user, false)
        scene.authority.forget()
        let refusal = await #expect(throws: Refusal.self) {
            try await other.issue(resolved, session: session.id, scene.caller)
        }
        #expect(refusal?.reason == .interactionRequired)
    }
}

extension Scene {
    /// Signs up a user and returns the tokens that are issued for the new session.
    func issued(_ scopes: String...) async throws -> IssuedTokens {
        try await issued(TokenRequest(scopes: scopes))
    }

    func issued(_ request: TokenRequest, signUp: Bool = true) async throws -> IssuedTokens {
        if signUp { try await self.signUp() }
        let resolved = try await authority.resolve(request)
        let decision = try await authority.decide(resolved, for: nil, prompt: .auto, caller)
        return try await authority.issue(resolved, session: decision.session ?? "none", caller)
    }
}
