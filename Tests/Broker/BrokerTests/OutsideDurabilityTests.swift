import FlowModel
import Foundation
import LocalIssuer
import Moments
import OAuth
import OpenIDClient
import TestSupport
import Testing
import TokenCache

@testable import Broker

/// A rotated refresh token must not be lost, because the authority treats a second use of the old token as theft.
@Suite(.timeLimit(.minutes(2)), .indexedStatements) struct OutsideDurabilityTests {
    private static let forced: AcquireRequest = {
        var request = RenewalAheadTests.asked("files.read")
        request.forceRefresh = true
        return request
    }()

    private static func accounts(_ daemon: Daemon) async throws -> Int {
        try await daemon.broker.accounts.every(of: 1000).count
    }

    /// Makes the provider return ID tokens in further renewals, valid at the daemon's current time.
    private static func giveIDTokens(_ provider: LocalProvider, _ daemon: Daemon) {
        let now = daemon.time.now.seconds
        provider.renewIDTokens(with: ["iat": .int(now), "exp": .int(now + 300)])
    }

    @Test("a rotated refresh token is stored if the ID token cannot be verified now; the other tokens are not")
    func keysAway() async throws {
        try await Daemon.withContoso { provider, daemon in
            try await RenewalAheadTests.keep(["files.read"], refreshedBy: provider, daemon)
            Self.giveIDTokens(provider, daemon)
            #expect(try await daemon.token(Self.forced).accessToken.reveal() == "access-renewed-1")
            // After 601 s, the keys must be fetched again, but their endpoint hangs and then responds with 503.
            daemon.time.advance(by: .seconds(601))
            Self.giveIDTokens(provider, daemon)
            provider.fail(at: "/keys", by: .hang)
            async let asked = daemon.token(Self.forced)
            try await waitUntil("the keys are requested") { provider.faulted == 1 }
            provider.fail(at: "/keys", by: nil)
            let old = try await asked
            #expect(old.fromCache && old.accessToken.reveal() == "access-renewed-1")
            let family = try await RenewalAheadTests.family(daemon)
            let kept = try await daemon.broker.store.refreshToken(family)?.token.reveal()
            // A response that cannot be parsed has the same effect as a missing response.
            provider.fail(at: "/keys", by: .long)
            #expect(try await daemon.token(Self.forced).fromCache)
            let next = try #require(try await daemon.broker.store.refreshToken(family)?.token.reveal())
            #expect(kept != nil && next != kept)
            provider.fail(at: "/keys", by: nil)
            let new = try await daemon.token(Self.forced)
            #expect(!new.fromCache && new.accessToken.reveal() == "access-renewed-4")
            #expect(provider.renewals == 4)
        }
    }

    @Test("a rotated refresh token is stored before keys are fetched or other tokens are verified")
    func storedFirst() async throws {
        try await Daemon.withContoso { provider, daemon in
            try await RenewalAheadTests.keep(["files.read"], refreshedBy: provider, daemon)
            Self.giveIDTokens(provider, daemon)
            _ = try await daemon.token(Self.forced)
            let family = try await RenewalAheadTests.family(daemon)
            let before = try await daemon.broker.store.refreshToken(family)?.token.reveal()
            daemon.time.advance(by: .seconds(601))
            Self.giveIDTokens(provider, daemon)
            provider.fail(at: "/keys", by: .hang)
            async let asked = daemon.token(Self.forced)
            try await waitUntil("the keys are requested") { provider.faulted == 1 }
            // The rotated refresh token is already stored, although the key endpoint has not responded.
            let rotated = try #require(try await daemon.broker.store.refreshToken(family)?.token.reveal())
            #expect(before != nil && rotated != before)
            provider.fail(at: "/keys", by: nil)
            #expect(try await asked.fromCache)
        }
    }

    @Test("tokens for another user are revoked, and the cache has the previous refresh token again")
    func anotherPerson() async throws {
        try await Daemon.withContoso { provider, daemon in
            try await RenewalAheadTests.keep(["files.read"], refreshedBy: provider, daemon)
            let family = try await RenewalAheadTests.family(daemon)
            let before = try await daemon.broker.store.refreshToken(family)?.token.reveal()
            let now = daemon.time.now.seconds
            provider.renewIDTokens(with: ["iat": .int(now), "exp": .int(now + 300), "sub": "person-2"])
            _ = try? await daemon.token(Self.forced)
            #expect(provider.renewals == 1 && provider.revoked.count == 1)
            #expect(try await daemon.broker.store.refreshToken(family)?.token.reveal() == before)
        }
    }

    @Test("a lock during a renewal costs no account: the tokens stay in memory unused until the unlock stores them")
    func locked() async throws {
        try await Daemon.withContoso { provider, daemon in
            try await RenewalAheadTests.keep(["files.read"], refreshedBy: provider, daemon)
            provider.hold(true)
            let asked = Task { try await daemon.token(Self.forced) }
            try await waitUntil("the renewal has begun") { provider.waitingRenewals == 1 }
            try await daemon.broker.lock.lock(Secret("open sesame"), caller: daemon.caller())
            provider.hold(false)
            await #expect(throws: Broker.locked) { try await asked.value }
            #expect(provider.revoked == [])
            #expect(try await daemon.events().filter { $0 == "token.not_cached" }.count == 1)
            try await daemon.broker.lock.unlock(Secret("open sesame"), caller: daemon.caller())
            #expect(try await daemon.token(Self.forced).accessToken.reveal() == "access-renewed-1")
            #expect(try await daemon.token(Self.forced).accessToken.reveal() == "access-renewed-2")
            #expect(provider.renewals == 2)
        }
    }

    /// Returns the account's tokens with a new refresh token, as a renewal stores them in memory.
    private static func held(
        _ refreshToken: String,
        _ daemon: Daemon,
        signOuts: Int64 = 0
    ) async throws -> UnsavedTokens.Held {
        let account = try #require(try daemon.cache.accounts.list(uid: 1000).first)
        let row = try #require(try daemon.cache.tokens.list(uid: 1000, account: account.account).first)
        let kept = try #require(try await daemon.broker.store.refreshToken(try await RenewalAheadTests.family(daemon)))
        let unit = StoreUnit(
            account: AccountUpsert(
                uid: 1000,
                authority: account.authority,
                subject: account.subject,
                username: account.username,
                displayName: nil,
                policy: "contoso"
            ),
            token: row,
            refreshToken: RefreshTokenRow(
                client: kept.client,
                policy: kept.policy,
                token: Secret(refreshToken),
                expires: kept.expires
            )
        )
        return UnsavedTokens.Held(unit: unit, signOuts: signOuts)
    }

    /// Returns a token source for the authority `name`, which the daemon need not know.
    private static func source(
        _ name: String,
        _ provider: LocalProvider,
        _ daemon: Daemon
    ) throws -> ExternalTokenSource {
        let registration = ProviderRegistration(
            name: name,
            issuer: provider.issuer,
            clientID: provider.clientID,
            redirectURI: "http://localhost:8420/local/oauth2/authresp",
            secret: Secret(provider.secret)
        )
        let authority = OutsideAuthority(registration: registration)
        return try ExternalTokenSource(daemon.broker.tokens, forced, daemon.caller(), authority)
    }

    @Test("a rotated refresh token is added to tokens that are not yet stored; the access token is not lost")
    func besideUnstored() async throws {
        try await Daemon.withContoso { provider, daemon in
            try await RenewalAheadTests.keep(["files.read"], refreshedBy: provider, daemon)
            let family = try await RenewalAheadTests.family(daemon)
            let account = try #require(try daemon.cache.accounts.list(uid: 1000).first)
            let held = try await Self.held("spent", daemon)
            #expect(daemon.broker.store.unkept.hold(held, of: family))
            try await daemon.broker.lock.lock(Secret("open sesame"), caller: daemon.caller())
            let source = try Self.source("contoso", provider, daemon)
            await source.keepRotated(Secret("successor"), of: account, signOuts: 0)
            #expect(daemon.broker.store.unkept[family]?.unit.token == held.unit.token)
            try await daemon.broker.lock.unlock(Secret("open sesame"), caller: daemon.caller())
            #expect(try await daemon.token(Self.forced).accessToken.reveal() == "access-files.read")
            #expect(try await daemon.broker.store.refreshToken(family)?.token.reveal() == "successor")
            #expect(provider.renewals == 0 && provider.revoked == [])
        }
    }

    @Test("a refresh token from an authority that was removed meanwhile is revoked, and not stored")
    func removedAuthority() async throws {
        try await Daemon.withContoso { provider, daemon in
            try await RenewalAheadTests.keep(["files.read"], refreshedBy: provider, daemon)
            let family = try await RenewalAheadTests.family(daemon)
            let before = try await daemon.broker.store.refreshToken(family)?.token.reveal()
            let account = try #require(try daemon.cache.accounts.list(uid: 1000).first)
            let source = try Self.source("removed", provider, daemon)
            await source.keepRotated(Secret("successor"), of: account, signOuts: 0)
            #expect(provider.revoked == ["successor"])
            #expect(try await daemon.broker.store.refreshToken(family)?.token.reveal() == before)
        }
    }

    @Test("tokens in memory that a sign-out has overtaken are revoked; the account does not return") func overtaken()
        async throws
    {
        try await Daemon.withContoso { provider, daemon in
            try await RenewalAheadTests.keep(["files.read"], refreshedBy: provider, daemon)
            let family = try await RenewalAheadTests.family(daemon)
            let held = try await Self.held("overtaken", daemon)
            let request = SignOutRequest(.account(family.account))
            _ = try await daemon.broker.signOuts.signOut(request, caller: daemon.caller())
            #expect(daemon.broker.store.unkept.hold(held, of: family))
            let refusal = await #expect(throws: Refusal.self) { try await daemon.token(Self.forced) }
            #expect(refusal?.reason == .interactionRequired)
            #expect(provider.revoked.contains("overtaken"))
            #expect(try await Self.accounts(daemon) == 0)
            #expect(try daemon.cache.accounts.list(uid: 1000).isEmpty)
        }
    }

    @Test("tokens taken for a sign-out that fails return to memory, but never replace newer ones") func undone()
        async throws
    {
        try await Daemon.withContoso { provider, daemon in
            try await RenewalAheadTests.keep(["files.read"], refreshedBy: provider, daemon)
            let family = try await RenewalAheadTests.family(daemon)
            let unkept = UnsavedTokens()
            #expect(unkept.hold(try await Self.held("spent", daemon), of: family))
            let taken = unkept.take(uid: 1000) { _ in true }
            #expect(taken.count == 1 && unkept[family] == nil)
            unkept.holdAgain(taken)
            #expect(unkept[family]?.unit.refreshToken?.token.reveal() == "spent")
            #expect(unkept.take(uid: 1000) { _ in true }.count == 1)
            #expect(unkept.hold(try await Self.held("newer", daemon, signOuts: 3), of: family))
            unkept.holdAgain(taken)
            #expect(unkept[family]?.unit.refreshToken?.token.reveal() == "newer")
            // A sign-out removes the tokens that were requested before the sign-out, but not later tokens.
            #expect(unkept.take(uid: 1000, before: 3) { _ in true }.isEmpty)
            #expect(unkept.take(uid: 1000, before: 4) { _ in true }.count == 1)
        }
    }
}
