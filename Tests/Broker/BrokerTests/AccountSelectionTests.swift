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

@Suite(.timeLimit(.minutes(2)), .indexedStatements) struct AccountSelectionTests {
    private func two() async throws -> (Daemon, ada: AcquiredToken, bob: AcquiredToken) {
        let daemon = try await Daemon()
        let ada = try await daemon.signUp()
        let bob = try await daemon.signUp("bob@example.org")
        return (daemon, ada, bob)
    }

    @Test("with two accounts a request must name one, and the error lists both") func ambiguous() async throws {
        let (daemon, ada, bob) = try await two()
        let refusal = await #expect(throws: Refusal.self) { try await daemon.token("tasks.read") }
        #expect(refusal?.reason == .accountAmbiguous)
        #expect(Set(refusal?.candidates.map(\.account) ?? []) == [ada.account, bob.account])
        #expect(Set(refusal?.candidates.map(\.username) ?? []) == ["ada@example.org", "bob@example.org"])
        let named = try await daemon.token(AcquireRequest("tasks.read") { $0.account = bob.account })
        #expect(named.accessToken == bob.accessToken)
    }

    @Test("without a named account the default one is used, until another is set or it is signed out")
    func defaultAccount() async throws {
        let (daemon, ada, bob) = try await two()
        #expect(try await daemon.broker.accounts.use(bob.account, caller: daemon.caller()).isDefault)
        #expect(try await daemon.token("tasks.read").accessToken == bob.accessToken)
        #expect(
            try await daemon.token(AcquireRequest("tasks.read") { $0.account = ada.account }).account == ada.account
        )
        _ = try await daemon.broker.accounts.use(ada.account, caller: daemon.caller())
        #expect(try await daemon.token("tasks.read").accessToken == ada.accessToken)
        #expect(
            try await daemon.broker.accounts.list(caller: daemon.caller()).filter(\.isDefault).map(\.account) == [
                ada.account
            ]
        )

        try await daemon.signUp("cyd@example.org")
        _ = try await daemon.broker.signOuts.signOut(
            SignOutRequest(.account(ada.account)),
            caller: daemon.caller()
        )
        let refusal = await #expect(throws: Refusal.self) { try await daemon.token("tasks.read") }
        #expect(refusal?.reason == .accountAmbiguous)
    }

    @Test("a cached response without an account does not outlive the default that it was given for")
    func defaultRaisesGeneration() async throws {
        let (daemon, ada, _) = try await two()
        let before = daemon.broker.tokens.generation(uid: 1000)
        _ = try await daemon.broker.accounts.use(ada.account, caller: daemon.caller())
        #expect(daemon.broker.tokens.generation(uid: 1000) > before)
    }

    @Test("another uid's account, or one that does not exist, cannot be the default") func foreignDefault() async throws
    {
        let (daemon, ada, _) = try await two()
        for (account, uid) in [(ada.account, 1001), ("unknown", 1000)] as [(String, UInt32)] {
            let refusal = await #expect(throws: Refusal.self) {
                try await daemon.broker.accounts.use(account, caller: daemon.caller(uid))
            }
            #expect(refusal?.reason == .accountNotFound)
        }
    }

    @Test("equal requests for two accounts are not joined; those for one account are") func joining() async throws {
        let (daemon, ada, bob) = try await two()
        // After a minute, the emailed codes from the sign-ups no longer count.
        daemon.time.advance(by: .seconds(61))
        func flow(_ account: String) async throws -> (id: String, joined: Bool) {
            let request = AcquireRequest("tasks.share") { $0.account = account }
            guard
                case .flow(let flow, let joined) = try await daemon.broker.tokens.acquire(
                    request,
                    caller: daemon.caller()
                )
            else { throw Refusal(.storageFailed, Text(exactly: "a token came where a flow should")) }
            return (flow.id, joined)
        }
        let first = try await flow(ada.account)
        let second = try await flow(bob.account)
        let third = try await flow(bob.account)
        #expect(!first.joined && !second.joined && third.joined)
        #expect(first.id != second.id && second.id == third.id)
    }

    @Test(
        "login, select_account and create are never ambiguous",
        arguments: [
            AcquireRequest.Prompt.login, .select, .create,
        ]
    )
    func prompts(_ prompt: AcquireRequest.Prompt) async throws {
        let (daemon, _, _) = try await two()
        _ = try await daemon.flow(AcquireRequest("tasks.read") { $0.prompt = prompt })
    }

    @Test(
        "a user is found by sign-in name in any case, and by object id",
        arguments: [
            AcquireRequest.UserHint.Kind.requiredDisplayableID, .optionalDisplayableID, .uniqueID,
        ]
    )
    func user(_ kind: AcquireRequest.UserHint.Kind) async throws {
        let (daemon, ada, _) = try await two()
        let id = kind == .uniqueID ? ada.claims["oid"]?.string ?? "" : "ADA@example.org"
        let token = try await daemon.token(AcquireRequest("tasks.read") { $0.user = .init(id: id, kind: kind) })
        #expect(token.accessToken == ada.accessToken)
    }

    @Test("a required user that is not signed in needs interaction, and no other user is accepted") func required()
        async throws
    {
        let daemon = try await Daemon()
        try await daemon.signUp()
        try await daemon.signUp("bob@example.org", uid: 1001)
        var request = AcquireRequest("tasks.read") { $0.user = .init(id: "bob@example.org") }
        request.prompt = .none
        let none = request
        let refusal = await #expect(throws: Refusal.self) { try await daemon.token(none) }
        #expect(refusal?.reason == .interactionRequired)
        request.prompt = .auto
        let flow = try await daemon.flow(request)
        let wrong = await #expect(throws: Refusal.self) { try await daemon.answer(flow) }
        #expect(wrong?.reason == .wrongUser || wrong?.reason == .invalidAnswer)
        let bob = try await daemon.answer(try await daemon.flow(request), email: "bob@example.org")
        #expect(bob.token?.username == "bob@example.org")
    }

    @Test(
        "a display name, as of a user of a provider, selects no user; the object id does",
        arguments: [AcquireRequest.UserHint.Kind.requiredDisplayableID, .optionalDisplayableID, .uniqueID]
    )
    func shown(_ kind: AcquireRequest.UserHint.Kind) async throws {
        let (daemon, ada, bob) = try await two()
        // Stores Bob's account under a display name, as the cache does for a provider's user.
        let oid = try #require(bob.claims["oid"]?.string)
        try await daemon.cache.store(
            StoreUnit(
                account: AccountUpsert(
                    uid: 1000,
                    authority: Broker.localAuthority,
                    subject: oid,
                    username: "Ada Shown",
                    displayName: "Ada Shown",
                    policy: "b2c_1_sign_in",
                    isSignIn: true
                )
            ),
            expectedGeneration: try daemon.cache.signOuts.generation(uid: 1000)
        )
        var request = AcquireRequest("tasks.read") { $0.user = .init(id: "ada shown", kind: kind) }
        request.prompt = .none
        let shown = request
        let refusal = await #expect(throws: Refusal.self) { try await daemon.token(shown) }
        #expect(refusal?.reason == .interactionRequired)
        request.user = .init(id: kind == .uniqueID ? oid : "BOB@example.org", kind: kind)
        let token = try await daemon.token(request)
        #expect(token.account == bob.account && token.account != ada.account)
    }

    @Test("an account and a user that differ are the wrong user") func contradiction() async throws {
        let (daemon, ada, _) = try await two()
        let refusal = await #expect(throws: Refusal.self) {
            try await daemon.token(
                AcquireRequest("tasks.read") {
                    $0.account = ada.account
                    $0.user = .init(id: "bob@example.org")
                }
            )
        }
        #expect(refusal?.reason == .wrongUser)
    }

    @Test("an unknown account is not found") func unknown() async throws {
        let daemon = try await Daemon()
        for request in [AcquireRequest("tasks.read") { $0.account = "unknown" }] {
            let refusal = await #expect(throws: Refusal.self) { try await daemon.token(request) }
            #expect(refusal?.reason == .accountNotFound)
        }
        let shown = await #expect(throws: Refusal.self) {
            try await daemon.broker.accounts.get("unknown", caller: daemon.caller())
        }
        #expect(shown?.reason == .accountNotFound)
    }

    @Test("without a policy the one of the last sign-in is used, not one that a token request named") func lastPolicy()
        async throws
    {
        let daemon = try await Daemon()
        try await daemon.signUp()
        let first = try await daemon.token("tasks.read")
        let other = try await daemon.token(AcquireRequest("tasks.read") { $0.policy = "b2c_1_sign_in" })
        #expect(other.policy == "b2c_1_sign_in" && first.policy != other.policy)
        #expect(try await daemon.token("tasks.read").policy == first.policy)
    }
}
