import Authority
import AuthorityStore
import FlowModel
import Flows
import Foundation
import Moments
import OAuth
import Policies
import Storage
import Synchronization
import TestSupport
import Testing
import TokenCache

@testable import Broker

@Suite(.timeLimit(.minutes(2)), .indexedStatements) struct SignOutTests {
    private func signOut(
        _ daemon: Daemon,
        _ extent: SignOutRequest.Extent = .all,
        uid: UInt32 = 1000
    ) async throws
        -> SignOutSummary
    {
        try await daemon.broker.signOuts.signOut(.init(extent), caller: daemon.caller(uid))
    }

    @Test("sign-out removes cached tokens, session, family and flows, and is audited") func all() async throws {
        let daemon = try await Daemon()
        try await daemon.signUp()
        _ = try await daemon.flow(AcquireRequest("tasks.read") { $0.prompt = .login })
        let generation = daemon.broker.tokens.generation(uid: 1000)
        let answer = try await signOut(daemon)
        #expect(answer.tokens == 1)
        #expect(answer.sessions == 1)
        #expect(answer.flows == 1)
        #expect(answer.left.isEmpty)
        #expect(daemon.broker.tokens.generation(uid: 1000) != generation)
        #expect(try await daemon.broker.accounts.list(caller: daemon.caller()).isEmpty)
        let refusal = await #expect(throws: Refusal.self) {
            try await daemon.token(AcquireRequest("tasks.read") { $0.prompt = .none })
        }
        #expect(refusal?.reason == .interactionRequired)
        let events = try await daemon.ownEvents().map(\.event)
        #expect(events.contains("family.revoked"))
        #expect(events.contains("signout"))
        let rows = try await daemon.store.audit.all(limit: 1000)
        #expect(rows.map(\.sequence) == (1...rows.count).map { Int64($0) })
    }

    @Test("one account is removed; the other account and other uids stay") func one() async throws {
        let daemon = try await Daemon()
        let ada = try await daemon.signUp()
        let bob = try await daemon.signUp("bob@example.org")
        let eve = try await daemon.signUp("eve@example.org", uid: 1001)
        _ = try await signOut(daemon, .account(ada.account))
        #expect(try await daemon.token("tasks.read").accessToken == bob.accessToken)
        #expect(try await daemon.token("tasks.read", uid: 1001).accessToken == eve.accessToken)
        let forced = AcquireRequest("tasks.read") { $0.forceRefresh = true }
        #expect(try await daemon.token(forced).username == "bob@example.org")
        let again = await #expect(throws: Refusal.self) { try await signOut(daemon, .account(ada.account)) }
        #expect(again?.reason == .accountNotFound)
    }

    @Test("a renewal in progress cannot restore an account") func overtaken() async throws {
        let daemon = try await Daemon()
        let token = try await daemon.signUp()
        let caller = daemon.caller()
        let before = try daemon.cache.signOuts.generation(uid: 1000)
        let kept = try #require(
            try await daemon.broker.store.refreshToken(
                FamilyKey(uid: 1000, account: token.account, client: "tokenbroker-cli", policy: token.policy)
            )
        )
        let issued = try await daemon.authority.redeem(kept.token, client: "tokenbroker-cli", caller)
        _ = try await signOut(daemon)
        let refusal = await #expect(throws: Refusal.self) {
            try await daemon.broker.store.keep(issued, caller, signOuts: before)
        }
        #expect(refusal?.reason == .interactionRequired)
        #expect(try await daemon.broker.accounts.list(caller: daemon.caller()).isEmpty)
        let dead = await #expect(throws: Refusal.self) {
            try await daemon.authority.redeem(issued.refreshToken, client: "tokenbroker-cli", caller)
        }
        #expect(dead?.reason == .interactionRequired)
    }

    @Test("an account that is signed out during its renewal is not restored by it") func sameAccount() async throws {
        let daemon = try await Daemon()
        let token = try await daemon.signUp()
        let caller = daemon.caller()
        let before = try daemon.cache.signOuts.generation(uid: 1000)
        let issued = try await redeemed(token, daemon)
        _ = try await signOut(daemon, .account(token.account))
        let refusal = await #expect(throws: Refusal.self) {
            try await daemon.broker.store.keep(issued, caller, signOuts: before, isRenewal: true)
        }
        #expect(refusal?.reason == .interactionRequired)
        #expect(try daemon.cache.accounts.list(uid: 1000).isEmpty)
        #expect(try daemon.cache.tokens.list(uid: 1000).isEmpty)
        #expect(try await daemon.store.families.list(owner: caller.owner).isEmpty)
    }

    @Test("repeated sign-outs of one account revoke no family of another account") func others() async throws {
        let daemon = try await Daemon()
        let bob = try await daemon.signUp("bob@example.org")
        let ada = try await daemon.signUp()
        let caller = daemon.caller()
        for round in 0..<5 {
            let before = try daemon.cache.signOuts.generation(uid: 1000)
            let issued = try await redeemed(bob, daemon)
            _ = try await signOut(daemon, .account(ada.account))
            let kept = try await daemon.broker.store.keep(issued, caller, signOuts: before, isRenewal: true)
            #expect(kept.account == bob.account, "round \(round)")
            let again = AcquireRequest("tasks.read") { $0.prompt = .login }
            _ = try await daemon.answer(try await daemon.flow(again))
        }
        let forced = AcquireRequest("tasks.read") {
            $0.account = bob.account
            $0.forceRefresh = true
            $0.prompt = .none
        }
        #expect(try await daemon.token(forced).username == "bob@example.org")
        let events = try await daemon.store.audit.all(limit: 1000)
        #expect(events.contains { $0.event == "family.revoked" })
        #expect(!events.contains { $0.detail["reason"] == "not_kept" })
    }

    @Test("a renewal that cannot be stored leaves its family, and the next one gives the same tokens") func notStored()
        async throws
    {
        let place = try Place()
        let token = try await renewWithoutCache(in: place)
        let after = try await Daemon(in: place)
        #expect(try await after.store.families.list(owner: after.caller().owner).count == 1)
        let forced = AcquireRequest("tasks.read") {
            $0.forceRefresh = true
            $0.prompt = .none
        }
        #expect(try await after.token(forced).account == token.account)
    }

    /// Runs a daemon that renews a token but cannot store the result, and stops the daemon.
    private func renewWithoutCache(in place: Place) async throws -> AcquiredToken {
        let daemon = try await Daemon(in: place)
        let token = try await daemon.signUp()
        let before = try daemon.cache.signOuts.generation(uid: 1000)
        let issued = try await redeemed(token, daemon)
        try daemon.cache.close()
        let refusal = await #expect(throws: Refusal.self) {
            try await daemon.broker.store.keep(
                issued,
                daemon.caller(),
                signOuts: before,
                isRenewal: true
            )
        }
        #expect(refusal?.reason == .storageFailed)
        return token
    }

    /// Renews the tokens of a token's family, and returns the result without storing it.
    private func redeemed(_ token: AcquiredToken, _ daemon: Daemon) async throws -> IssuedTokens {
        let family = FamilyKey(
            uid: 1000,
            account: token.account,
            client: "tokenbroker-cli",
            policy: token.policy
        )
        let kept = try #require(try await daemon.broker.store.refreshToken(family))
        let caller = daemon.caller()
        return try await daemon.authority.redeem(kept.token, client: "tokenbroker-cli", caller)
    }

    @Test("a pending sign-out completes before a session is searched for a token") func beforeAcquire()
        async throws
    {
        let daemon = try await Daemon()
        try await daemon.signUp()
        _ = try await daemon.cache.signOuts.begin(uid: 1000, .all)
        #expect(try await daemon.store.sessions.live(owner: daemon.caller().owner).count == 1)
        let refusal = await #expect(throws: Refusal.self) {
            try await daemon.token(AcquireRequest("tasks.read") { $0.prompt = .none })
        }
        #expect(refusal?.reason == .interactionRequired)
        #expect(try await daemon.store.sessions.live(owner: daemon.caller().owner).isEmpty)
        #expect(try daemon.cache.signOuts.pending().isEmpty)
    }

    @Test("a pending sign-out completes before a flow starts, and ends no part of it")
    func beforeFlow()
        async throws
    {
        let daemon = try await Daemon()
        try await daemon.signUp()
        _ = try await daemon.cache.signOuts.begin(uid: 1000, .all)
        let flow = try await daemon.broker.startFlow(
            StartFlowRequest(policy: "b2c_1_sign_in", requestID: "r1"),
            caller: daemon.caller()
        )
        #expect(try await daemon.store.sessions.live(owner: daemon.caller().owner).isEmpty)
        #expect(try daemon.cache.signOuts.pending().isEmpty)
        await daemon.broker.signOuts.finishPending()
        #expect(try await daemon.flows.get(flow.id, owner: daemon.caller().owner).state == .challenge)
    }

    @Test("a pending sign-out of one account leaves the other's session") func pendingOfOne() async throws {
        let daemon = try await Daemon()
        let ada = try await daemon.signUp()
        let bob = try await daemon.signUp("bob@example.org")
        _ = try await daemon.cache.signOuts.begin(uid: 1000, .accounts([ada.account]))
        _ = try await daemon.broker.startFlow(
            StartFlowRequest(policy: "b2c_1_sign_in", requestID: "r1"),
            caller: daemon.caller()
        )
        let users = try await daemon.store.sessions.live(owner: daemon.caller().owner).map(\.user)
        #expect(users.count == 1)
        #expect(try await daemon.token("tasks.read").account == bob.account)
    }

    @Test("another uid's pending sign-out waits for that uid") func pendingElsewhere() async throws {
        let daemon = try await Daemon()
        try await daemon.signUp()
        try await daemon.signUp("eve@example.org", uid: 1001)
        _ = try await daemon.cache.signOuts.begin(uid: 1001, .all)
        _ = try await daemon.token("tasks.read")
        _ = try await daemon.broker.startFlow(
            StartFlowRequest(policy: "b2c_1_sign_in", requestID: "r1"),
            caller: daemon.caller()
        )
        #expect(try daemon.cache.signOuts.pending(uid: 1001).count == 1)
        #expect(try await daemon.store.sessions.live(owner: daemon.caller().owner).count == 1)
    }

    @Test("parts that a sign-out could not end are reported, and end at the next start") func left() async throws {
        let place = try Place()
        try await signOutWithoutStore(in: place)
        let after = try await Daemon(in: place)
        #expect(try after.cache.signOuts.pending().isEmpty)
        #expect(try await after.store.sessions.live(owner: after.caller().owner).isEmpty)
        let refusal = await #expect(throws: Refusal.self) {
            try await after.token(AcquireRequest("tasks.read") { $0.prompt = .none })
        }
        #expect(refusal?.reason == .interactionRequired)
    }

    /// Signs out at a daemon whose authority cannot record the sign-out, and stops the daemon.
    private func signOutWithoutStore(in place: Place) async throws {
        let daemon = try await Daemon(in: place)
        try await daemon.signUp()
        try daemon.store.close()
        let answer = try await signOut(daemon)
        #expect(answer.tokens == 1)
        #expect(answer.left == ["sessions"])
        #expect(try daemon.cache.signOuts.pending().count == 1)
    }

    @Test("a later sign-in gets the same account id and another token") func again() async throws {
        let daemon = try await Daemon()
        let first = try await daemon.signUp()
        _ = try await signOut(daemon)
        let token = try #require(try await daemon.answer(try await daemon.flow(AcquireRequest("tasks.read"))).token)
        #expect(token.account == first.account)
        #expect(token.accessToken != first.accessToken)
    }
}
