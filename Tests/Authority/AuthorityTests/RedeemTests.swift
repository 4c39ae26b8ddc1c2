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
struct RedeemTests {
    private let client = "tokenbroker-cli"

    @Test("a refresh token yields new tokens with the original authentication") func renews() async throws {
        let scene = try await Scene()
        let first = try await scene.issued("tasks.read")
        scene.time.advance(by: .seconds(7200))
        let second = try await scene.authority.redeem(first.refreshToken, client: client, scene.caller)
        #expect(second.accessToken != first.accessToken)
        #expect(second.refreshToken != first.refreshToken)
        #expect(second.family == first.family)
        #expect(second.authTime == first.authTime)
        #expect(second.acr == first.acr)
        #expect(try await scene.claims(second)["auth_time"]?.int == first.authTime / 1000)
        #expect(try await scene.events().contains("token.renewed"))
    }

    @Test("the same uid gets the same successor for the same refresh token until the successor is used")
    func idempotent()
        async throws
    {
        let scene = try await Scene()
        let first = try await scene.issued("tasks.read")
        let second = try await scene.authority.redeem(first.refreshToken, client: client, scene.caller)
        let again = try await scene.authority.redeem(first.refreshToken, client: client, scene.caller)
        #expect(again.refreshToken == second.refreshToken)
        let third = try await scene.authority.redeem(second.refreshToken, client: client, scene.caller)
        #expect(third.refreshToken != second.refreshToken)
        #expect(await reason { try await scene.redeemed(first.refreshToken) } == .interactionRequired)
        let dead = await #expect(throws: Refusal.self) {
            try await scene.authority.redeem(third.refreshToken, client: client, scene.caller)
        }
        #expect(dead?.reason == .interactionRequired)
        #expect(try await scene.events().contains("family.revoked"))
    }

    @Test("a family is revoked when anyone else presents its token", arguments: [("m1", 1001), ("m2", 1000)])
    func thief(_ machine: String, _ uid: Int) async throws {
        let scene = try await Scene()
        let issued = try await scene.issued("tasks.read")
        let thief = Caller(owner: Owner.local(machine: machine, uid: UInt32(uid)))
        let refusal = await #expect(throws: Refusal.self) {
            try await scene.authority.redeem(issued.refreshToken, client: client, thief)
        }
        #expect(refusal?.reason == .interactionRequired)
        #expect(await reason { try await scene.redeemed(issued.refreshToken) } == .interactionRequired)
    }

    @Test("a token that was altered, cut or invented is rejected and revokes nothing") func forged() async throws {
        let scene = try await Scene()
        let issued = try await scene.issued("tasks.read")
        let text = issued.refreshToken.reveal()
        var forged = ["", "x", String(text.dropLast()), text + "A", text + "="]
        for index in text.indices {
            var other = Array(text)
            other[text.distance(from: text.startIndex, to: index)] = text[index] == "A" ? "B" : "A"
            forged.append(String(other))
        }
        for token in forged {
            #expect(await reason { try await scene.redeemed(Secret(token)) } == .interactionRequired, "\(token)")
        }
        _ = try await scene.authority.redeem(issued.refreshToken, client: client, scene.caller)
    }

    @Test("another client, or a family of the other entry point, is rejected and nothing is revoked")
    func otherDoor() async throws {
        let scene = try await Scene()
        let issued = try await scene.issued("tasks.read")
        #expect(
            await reason { try await scene.redeemed(issued.refreshToken, client: "tasks-cli") } == .interactionRequired
        )
        let row = try #require(try await scene.store.families.get(issued.family))
        let web = try await scene.family(like: row, owner: .browser(session: "b"))
        let token = try #require(RefreshToken(family: web.id, counter: 0, secret: web.secret))
        #expect(await reason { try await scene.redeemed(token.text) } == .interactionRequired)
        #expect(try await scene.store.families.get(web.id)?.revokedAt == nil)
        let browser = await #expect(throws: Refusal.self) {
            let browser = Caller(owner: .browser(session: "b"))
            return try await scene.authority.redeem(issued.refreshToken, client: client, browser)
        }
        #expect(browser?.reason == .interactionRequired)
        _ = try await scene.authority.redeem(issued.refreshToken, client: client, scene.caller)
    }

    @Test("a refresh token expires, and so does its family however often it is renewed") func ends() async throws {
        let scene = try await Scene()
        var token = try await scene.issued("tasks.read").refreshToken
        for _ in 0..<6 {
            scene.time.advance(by: .seconds(1_209_000))
            token = try await scene.authority.redeem(token, client: client, scene.caller).refreshToken
        }
        scene.time.advance(by: .seconds(1_209_000))
        let last = token
        #expect(await reason { try await scene.redeemed(last) } == .interactionRequired)
    }

    @Test("a scope whose check has expired is dropped; if no scope is left, interaction is required") func dropped()
        async throws
    {
        let scene = try await Scene()
        try await scene.signUp()
        let only = try await scene.issued(TokenRequest("accessRestricted"), signUp: false)
        let both = try await scene.issued(TokenRequest("accessRestricted", "tasks.read"), signUp: false)
        scene.time.advance(by: .seconds(61))
        let renewed = try await scene.authority.redeem(both.refreshToken, client: client, scene.caller)
        #expect(renewed.scopes == ["tasks.read"])
        let refusal = await #expect(throws: Refusal.self) {
            try await scene.authority.redeem(only.refreshToken, client: client, scene.caller)
        }
        #expect(refusal?.reason == .interactionRequired)
    }

    @Test(
        "a family covers what it was granted and authenticated for, and nothing else",
        arguments: [
            (TokenRequest("tasks.read"), true),
            (TokenRequest("tasks.write"), false),
            (TokenRequest("notes.read"), false),
            (TokenRequest("tasks.read") { $0.policy = "b2c_1_sign_in" }, false),
            (TokenRequest("tasks.read") { $0.maxAge = 100 }, true),
            (TokenRequest("tasks.read") { $0.maxAge = 10 }, false),
            (TokenRequest("tasks.read") { $0.acrValues = ["2"] }, true),
        ]
    )
    func covers(_ request: TokenRequest, _ covered: Bool) async throws {
        let scene = try await Scene()
        let issued = try await scene.issued("tasks.read")
        scene.time.advance(by: .seconds(30))
        let resolved = try await scene.authority.resolve(request)
        #expect(try await scene.covers(resolved, by: issued.refreshToken, client) == covered)
        // The refresh token is still valid, even if the request was rejected.
        _ = try await scene.authority.redeem(issued.refreshToken, client: client, scene.caller)
    }

    @Test("sign-out revokes the families of the uid and writes an audit event") func signOut() async throws {
        let scene = try await Scene()
        let mine = try await scene.issued("tasks.read")
        let session = try await scene.signIn(uid: 1001)
        let resolved = try await scene.authority.resolve(TokenRequest("tasks.read"))
        let theirs = try await scene.authority.issue(resolved, session: session.id, scene.caller(uid: 1001))
        let removed = try await scene.authority.sessions.signOut(user: Scene.user, scene.caller)
        #expect(removed.sessions == 1)
        #expect(removed.families == 1)
        #expect(await reason { try await scene.redeemed(mine.refreshToken) } == .interactionRequired)
        _ = try await scene.authority.redeem(theirs.refreshToken, client: client, scene.caller(uid: 1001))
        let events = try await scene.authority.events(of: scene.owner, since: 0, limit: 100).map(\.event)
        #expect(events.contains("family.revoked"))
        #expect(events.contains("signout"))
    }

    @Test("a later grant to the same client and policy includes the scopes of the earlier one") func union()
        async throws
    {
        let scene = try await Scene()
        try await scene.signUp()
        _ = try await scene.issued(TokenRequest("tasks.read"), signUp: false)
        let later = try await scene.issued(TokenRequest("tasks.write"), signUp: false)
        #expect(later.scopes == ["tasks.write"])
        let other = try await scene.issued(TokenRequest("notes.read"), signUp: false)
        let renewed = try await scene.authority.redeem(later.refreshToken, client: client, scene.caller)
        #expect(renewed.scopes == ["tasks.read", "tasks.write"])
        #expect(
            try await scene.authority.redeem(other.refreshToken, client: client, scene.caller).scopes == ["notes.read"]
        )
    }

    @Test("a removed policy or client yields no tokens") func gone() async throws {
        let summary = ClientSummary(client: "other", name: "Other")
        let registered = OAuthClient(summary, isFirstParty: true, apis: ["tasks"])
        let scene = try await Scene(settings: Scene.settings(clients: [registered]))
        let issued = try await scene.issued(TokenRequest("tasks.read") { $0.client = "other" })
        let gone = [
            (
                try scene.secondDaemon(catalogue: PolicyCatalogue(policies: [], checks: [])),
                Refusal.Reason.unknownPolicy
            ),
            (try scene.secondDaemon(settings: Scene.settings()), .unknownClient),
        ]
        for (daemon, reason) in gone {
            let refusal = await #expect(throws: Refusal.self) {
                try await daemon.redeem(issued.refreshToken, client: "other", scene.caller)
            }
            #expect(refusal?.reason == reason)
        }
    }

    @Test("a scope of an API that the client lost is no longer granted") func taken() async throws {
        func settings(_ apis: [String]) -> AuthoritySettings {
            let other = ClientSummary(client: "other", name: "Other")
            return Scene.settings(clients: [OAuthClient(other, isFirstParty: true, apis: apis)])
        }
        let scene = try await Scene(settings: settings(["tasks", "notes"]))
        let issued = try await scene.issued(TokenRequest("tasks.read") { $0.client = "other" })
        let later = try scene.secondDaemon(settings: settings(["notes"]))
        let none = await #expect(throws: Refusal.self) {
            try await later.redeem(issued.refreshToken, client: "other", scene.caller)
        }
        #expect(none?.reason == .interactionRequired)
        let before = try await scene.authority.redeem(issued.refreshToken, client: "other", scene.caller)
        #expect(before.scopes == ["tasks.read"])
    }
}

/// Returns the reason why `body` is refused, or `nil` if it succeeds.
private func reason(_ body: () async throws -> Void) async -> Refusal.Reason? {
    await #expect(throws: Refusal.self) { try await body() }?.reason
}

extension Scene {
    /// Redeems a refresh token on behalf of its owner.
    fileprivate func redeemed(_ token: Secret, client: String = "tokenbroker-cli") async throws {
        _ = try await authority.redeem(token, client: client, caller)
    }

    /// Redeems a refresh token, and returns whether its family covers the request.
    ///
    /// If so, the function also expects that the new tokens have all requested scopes.
    func covers(_ request: ResolvedRequest, by token: Secret, _ client: String) async throws -> Bool {
        do {
            let issued = try await authority.redeem(token, client: client, for: .everythingWith(request), caller)
            #expect(Set(request.scopes).isSubset(of: issued.scopes))
            return true
        } catch let error as UncoveredRequest {
            #expect(error.request == request)
            return false
        }
    }

    /// Stores a copy of a refresh token family with `holder` as its owner, and returns the copy.
    func family(like row: FamilyRow, owner holder: Owner) async throws -> FamilyRow {
        let copy = FamilyRow(
            id: Base64URL.encode(RefreshToken.random(RefreshToken.familyBytes)),
            owner: holder,
            user: row.user,
            client: row.client,
            policy: row.policy,
            scopes: row.scopes,
            audience: row.audience,
            secret: row.secret,
            authentication: row.authentication,
            createdAt: row.createdAt,
            expires: row.expires,
            windowEnds: row.windowEnds
        )
        let session = try await signIn()
        try await store.grants.issue(
            Issue(
                source: .session(id: session.id, prolongedUntil: nil),
                owner: owner,
                user: row.user,
                expectedEpoch: try await store.epoch(),
                product: .family(copy)
            )
        )
        return copy
    }
}
