import Administration
import FlowModel
import Foundation
import Moments
import OAuth
import Synchronization
import TestSupport
import Testing
import TokenCache

@testable import Broker

@Suite(.timeLimit(.minutes(2)))
struct TokenWatchTests {
    /// Collects the events of a subscription.
    private final class Told: Sendable {
        private let all = Mutex<[TokenEvent]>([])
        private let subscription: TokenSubscription

        init(_ subscription: TokenSubscription) {
            self.subscription = subscription
            subscription.begin { [weak self] event in self?.all.withLock { $0.append(event) } }
        }

        /// Waits until there are at least `count` events, and returns all events.
        func events(_ count: Int) async throws -> [TokenEvent] {
            try await waitUntil("\(count) events came") { all.withLock(\.count) >= count }
            return all.withLock { $0 }
        }

        /// Waits for an event, and returns all events.
        func events(until last: TokenEvent) async throws -> [TokenEvent] {
            try await waitUntil("\(last) came") { all.withLock { $0.contains(last) } }
            return all.withLock { $0 }
        }
    }

    private func told(_ daemon: Daemon, _ account: String? = nil, uid: UInt32 = 1000) async throws -> Told {
        Told(try await daemon.broker.tokens.subscribe(account: account, caller: daemon.caller(uid)))
    }

    private func summary(_ event: TokenEvent?) -> TokenSummary? {
        switch event {
        case .rotated(let token), .expiring(let token): token
        case .sessionChanged, nil: nil
        }
    }

    @Test("a sign-in, a renewal, an approaching expiry and a sign-out are reported, each once, to their uid only")
    func life() async throws {
        let daemon = try await Daemon()
        let told = try await told(daemon)
        let others = try await self.told(daemon, uid: 1001)
        let token = try await daemon.signUp()
        let signedIn = try await told.events(2)
        #expect(signedIn.first == .sessionChanged(account: token.account, .signedIn))
        #expect(summary(signedIn.last)?.expiresAt == token.expiresAt)
        daemon.time.advance(by: .seconds(10))
        let renewed = try await daemon.token(AcquireRequest("tasks.read") { $0.forceRefresh = true })
        let rotated = try await told.events(3)
        #expect(renewed.expiresAt > token.expiresAt)
        #expect(rotated.last == .rotated(try #require(summary(rotated.last))))
        #expect(summary(rotated.last)?.expiresAt == renewed.expiresAt)
        await daemon.broker.refresh()
        daemon.time.advance(by: .milliseconds(renewed.expiresAt - daemon.time.now.wall - 100_000))
        for _ in 0..<3 { await daemon.broker.refresh() }
        let expiring = try await told.events(4)
        #expect(expiring.last == .expiring(try #require(summary(rotated.last))))
        let extent = SignOutRequest(.account(token.account))
        _ = try await daemon.broker.signOuts.signOut(extent, caller: daemon.caller())
        let all = try await told.events(5)
        #expect(all.count == 5 && all.last == .sessionChanged(account: token.account, .signedOut))
        _ = try await daemon.signUp("bea@example.org", uid: 1001)
        #expect(try await others.events(2).count == 2)
        #expect(try await told.events(5).count == 5)
    }

    @Test("a subscription to one account reports nothing about another, and an unknown account has none")
    func oneAccount() async throws {
        let daemon = try await Daemon()
        let ada = try await daemon.signUp()
        let told = try await told(daemon, ada.account)
        try await daemon.signUp("bea@example.org")
        _ = try await daemon.broker.signOuts.signOut(SignOutRequest(.all), caller: daemon.caller())
        let end = TokenEvent.sessionChanged(account: ada.account, .signedOut)
        let events = try await told.events(until: end)
        // A sign-out revokes the tokens before it removes the account, so a check of the cache can run in between.
        #expect(events.drop { $0 == .sessionChanged(account: ada.account, .changed) } == [end], "\(events)")
        let refusal = await #expect(throws: Refusal.self) { try await self.told(daemon, ada.account, uid: 1001) }
        #expect(refusal?.reason == .accountNotFound)
    }

    @Test("tokens that an operator revokes are reported, though the account stays") func disabled() async throws {
        let daemon = try await Daemon()
        let token = try await daemon.signUp()
        let told = try await told(daemon)
        _ = try await daemon.root().disable(token.username)
        #expect(try await told.events(1) == [.sessionChanged(account: token.account, .changed)])
    }

    @Test("events during the subscribe call follow its response, and unused watches end")
    func begin() async throws {
        let daemon = try await Daemon()
        var subscription: TokenSubscription? = try await daemon.broker.tokens.subscribe(
            account: nil,
            caller: daemon.caller()
        )
        #expect(daemon.broker.tokens.watch.count(uid: 1000) == 1)
        let other = try await told(daemon)
        let token = try await daemon.signUp()
        _ = try await other.events(2)
        let late = Told(try #require(subscription))
        subscription = nil
        #expect(try await late.events(2).first == .sessionChanged(account: token.account, .signedIn))
        #expect(daemon.broker.tokens.watch.count(uid: 1000) == 2)
        do {
            let third = try await told(daemon)
            #expect(daemon.broker.tokens.watch.count(uid: 1000) == 3)
            withExtendedLifetime(third) {}
        }
        #expect(daemon.broker.tokens.watch.count(uid: 1000) == 2)
        withExtendedLifetime((other, late)) {}
    }

    @Test("a locked cache is not watched, and changes made meanwhile are reported after the unlock") func locked()
        async throws
    {
        let daemon = try await Daemon()
        try await daemon.signUp()
        let told = try await told(daemon)
        let passphrase = Secret("a long passphrase")
        try await daemon.broker.lock.lock(passphrase, caller: daemon.caller())
        let refusal = await #expect(throws: Refusal.self) { try await self.told(daemon) }
        #expect(refusal?.reason == .locked)
        await daemon.broker.refresh()
        _ = try await daemon.broker.signOuts.signOut(SignOutRequest(.all), caller: daemon.caller())
        #expect(try await told.events(1).count == 1)
    }

    @Test("a token of another kind is no successor, and of two of one kind the newest counts") func kinds() {
        let clock = TestClock()
        func token(_ scopes: String..., ends seconds: Int, _ end: String = "t") -> TokenRow {
            let expires = Deadline(.seconds(seconds), after: clock.now)
            return TokenRow(
                uid: 1,
                account: "a",
                client: "c",
                authority: "local",
                policy: "p",
                resource: "r",
                scopes: scopes,
                // Like the tokens of one issuer, these tokens differ only near their end.
                accessToken: Secret(String(repeating: "a", count: 200) + end),
                idToken: nil,
                expires: expires,
                expiresAt: expires.wall,
                acr: "",
                amr: [],
                authTime: 0,
                claims: Data(),
                username: "ada",
                receivedAt: clock.now.wall
            )
        }
        let before = TokenSnapshot(accounts: [], tokens: [token("x", ends: 300)])
        let after = TokenSnapshot(accounts: [], tokens: [token("x", ends: 300), token("y", ends: 200)])
        #expect(after.changes(since: before, at: clock.now).count == 1)
        let doubled = TokenSnapshot(accounts: [], tokens: [token("x", ends: 300), token("x", ends: 100)])
        #expect(doubled.changes(since: before, at: clock.now) == [])
        // A token that was renewed within a second may expire at the same time as the previous one.
        let renewed = TokenSnapshot(accounts: [], tokens: [token("x", ends: 300, "u")])
        #expect(renewed.changes(since: before, at: clock.now).count == 1)
        // Token `y` counts as ending soon in the second half of its 200 s, and token `x` in its last two minutes.
        clock.advance(by: .seconds(101))
        #expect(after.endingSoon(at: clock.now).map(\.summary.scopes) == [["y"]])
        clock.advance(by: .seconds(80))
        #expect(after.endingSoon(at: clock.now).count == 2)
    }
}
