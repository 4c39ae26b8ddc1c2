import Administration
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

@Suite(.timeLimit(.minutes(2)), .indexedStatements) struct OperatorsTests {
    @Test("a service's operators are its own uid and the configured ones") func who() async throws {
        let daemon = try await Daemon(settings: Daemon.settings(daemonUID: 500))
        #expect(daemon.isOperator(uid: 0, gid: 0))
        #expect(daemon.isOperator(uid: 500, gid: 500))
        #expect(daemon.isOperator(uid: 1000, gid: 27))
        #expect(daemon.isOperator(uid: 1000, gid: 1000, groups: [4, 27]))
        #expect(!daemon.isOperator(uid: 1000, gid: 1000, groups: [4, 1000]))
        #expect(!daemon.isOperator(uid: 1000, gid: 1000))
        let personal = try await Daemon(settings: Daemon.settings(personal: true, daemonUID: 1000))
        #expect(personal.isOperator(uid: 1000, gid: 1000))
        #expect(!personal.isOperator(uid: 0, gid: 27, groups: [27]))
    }

    @Test("other uids are not operators, and their attempts are audited with uid and pid") func refused() async throws {
        let daemon = try await Daemon()
        let caller = daemon.caller()
        let refusal = await #expect(throws: Refusal.self) {
            try await daemon.administration.permit("user.list", caller)
        }
        #expect(refusal?.reason == .notPermitted)
        let refused = try await daemon.root().events(since: 0, limit: 100).filter { $0.event == "operator.refused" }
        #expect(refused.map(\.detail) == [["method": "user.list", "reason": "not_permitted"]])
        #expect(refused.allSatisfy { $0.uid == 1000 && $0.pid == 42 })
        #expect(refused.first?.correlationID == caller.correlationID.description)
    }

    @Test("clients and users are shown, changed and audited") func operate() async throws {
        let daemon = try await Daemon()
        try await daemon.signUp()
        let root = try await daemon.root()
        let new = NewClient(displayName: "Robot", type: .confidential)
        let added = try await root.add(new)
        #expect(added.secret != nil)
        let client = added.client.client
        let listed = try await root.clients()
        #expect(listed.contains { $0.client == client && !$0.configured })
        try await root.removeClient(client)
        let user = try #require(try await root.users(after: nil, limit: 10).first)
        let shown = try await root.user(user.user)
        #expect(shown.sessions == 1)
        #expect(shown.families == 1)
        #expect(shown.attributes?["displayName"] == "Ada")
        let disabled = try await root.disable(user.user)
        #expect(!disabled.enabled)
        let forced = AcquireRequest("tasks.read") {
            $0.forceRefresh = true
            $0.prompt = .none
        }
        let ended = await #expect(throws: Refusal.self) { try await daemon.token(forced) }
        #expect(ended?.reason == .interactionRequired)
        try await root.delete(user.user)
        let keys = try await root.rotateKeys(algorithm: "ES256")
        #expect(Set(keys.map(\.state)) == ["active", "retired"])
        let symmetric = await #expect(throws: InvalidParameters.self) { try await root.rotateKeys(algorithm: "HS256") }
        #expect(symmetric?.text == Text("refusal.algorithm"))
        let events = try await daemon.events()
        for name in ["client.added", "client.removed", "user.disabled", "user.deleted", "key.generated"] {
            #expect(events.contains(name))
        }
    }

    @Test(
        "a disabled or deleted user loses the tokens of all uids, and other users keep their own",
        arguments: [true, false]
    )
    func removed(deleting: Bool) async throws {
        let daemon = try await Daemon()
        let ada = try await daemon.signUp()
        let bob = try await daemon.signUp("bob@example.org", uid: 1001)
        let signIn = AcquireRequest("tasks.read") { $0.prompt = .login }
        _ = try await daemon.answer(try await daemon.flow(signIn, uid: 1002), uid: 1002)
        let generations = [1000, 1002].map { daemon.cache.generation(uid: $0) }
        try await daemon.end("ada@example.org", deleting: deleting)
        for uid in [1000, 1002] as [UInt32] {
            #expect(try daemon.cache.tokens.list(uid: uid).isEmpty)
            let family = FamilyKey(
                uid: uid,
                account: daemon.cache.accounts.id(
                    uid: uid,
                    authority: "local",
                    subject: ada.claims["oid"]?.string ?? ""
                ),
                client: "tokenbroker-cli",
                policy: ada.policy
            )
            #expect(try await daemon.broker.store.refreshToken(family) == nil)
            #expect(await daemon.refusal(uid: uid)?.reason == .interactionRequired)
        }
        for (uid, before) in zip([1000, 1002] as [UInt32], generations) {
            #expect(daemon.cache.generation(uid: uid) > before)
        }
        #expect(try await daemon.token("tasks.read", uid: 1001).accessToken == bob.accessToken)
    }

    @Test(
        "a user that another daemon disabled or deleted gets nothing after the next comparison",
        arguments: [true, false]
    )
    func elsewhere(deleting: Bool) async throws {
        let place = try Place()
        let here = try await Daemon(in: place)
        let there = try await Daemon(in: place, cacheFile: "other")
        let ada = try await here.signUp()
        let bob = try await here.signUp("bob@example.org", uid: 1001)
        #expect(try await here.token("tasks.read").accessToken == ada.accessToken)
        let before = here.broker.tokens.generation(uid: 1000)
        try await there.end("ada@example.org", deleting: deleting)
        await here.broker.refresh()
        #expect(here.broker.tokens.generation(uid: 1000) > before)
        #expect(await here.refusal()?.reason == .interactionRequired)
        #expect(try here.cache.tokens.list(uid: 1000).isEmpty)
        #expect(try await here.token("tasks.read", uid: 1001).accessToken == bob.accessToken)
    }

    @Test(
        "a cached token of a user that another daemon disabled or deleted is not returned",
        arguments: [true, false]
    )
    func elsewhereJustNow(deleting: Bool) async throws {
        let place = try Place()
        let here = try await Daemon(in: place)
        let there = try await Daemon(in: place, cacheFile: "other")
        try await here.signUp()
        try await there.end("ada@example.org", deleting: deleting)
        #expect(await here.refusal()?.reason == .interactionRequired)
        #expect(try here.cache.tokens.list(uid: 1000).isEmpty)
    }

    @Test("tokens that arrive after their user is disabled are not stored") func disabledMeanwhile() async throws {
        let daemon = try await Daemon()
        let ada = try await daemon.signUp()
        let caller = daemon.caller()
        let before = try daemon.cache.signOuts.generation(uid: 1000)
        let family = FamilyKey(uid: 1000, account: ada.account, client: "tokenbroker-cli", policy: ada.policy)
        let kept = try #require(try await daemon.broker.store.refreshToken(family))
        let issued = try await daemon.authority.redeem(kept.token, client: "tokenbroker-cli", caller)
        try await daemon.end("ada@example.org", deleting: false)
        let refusal = await #expect(throws: Refusal.self) {
            try await daemon.broker.store.keep(issued, caller, signOuts: before, isRenewal: true)
        }
        #expect(refusal?.reason == .interactionRequired)
        #expect(try daemon.cache.tokens.list(uid: 1000).isEmpty)
    }

    @Test("the user of a personal daemon must have entered a password recently") func personal() async throws {
        let daemon = try await Daemon(settings: Daemon.settings(personal: true, daemonUID: 1000))
        _ = try await daemon.administration.permit("client.list", daemon.caller())
        try await daemon.signUp()
        _ = try await daemon.administration.permit("client.list", daemon.caller())
        daemon.time.advance(by: .seconds(301))
        let refusal = await #expect(throws: Refusal.self) {
            try await daemon.administration.permit("client.list", daemon.caller())
        }
        #expect(refusal?.reason == .interactionRequired)
    }
}

extension Daemon {
    fileprivate func isOperator(uid: UInt32, gid: UInt32, groups: [UInt32] = []) -> Bool {
        administration.caller(uid: uid, gid: gid, groups: groups, pid: 1, correlationID: .random()).isOperator
    }

    /// Deletes the user if `deleting` is `true`, and disables the user otherwise.
    fileprivate func end(_ user: String, deleting: Bool) async throws {
        if deleting { try await root().delete(user) } else { _ = try await root().disable(user) }
    }

    /// Requests a token without prompts, and returns the refusal, or `nil` if the token is issued.
    fileprivate func refusal(uid: UInt32 = 1000) async -> Refusal? {
        await #expect(throws: Refusal.self) {
            try await self.token(AcquireRequest("tasks.read") { $0.prompt = .none }, uid: uid)
        }
    }
}
