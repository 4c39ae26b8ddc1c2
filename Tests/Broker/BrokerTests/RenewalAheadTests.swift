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

/// Tests of the renewal of external authorities' tokens in the background.
///
/// Only recently used tokens are renewed.
@Suite(.timeLimit(.minutes(2)), .indexedStatements) struct RenewalAheadTests {
    /// The age at which every one-hour token is due for renewal.
    ///
    /// This age is longer than half the lifetime plus the maximum jitter.
    static let secondHalf = Duration.seconds(2_200)
    private static let pause = Duration.seconds(61)

    @Test("a used token is renewed in the second half of its life, without a call; an unused one is not")
    func used() async throws {
        try await Daemon.withContoso { provider, daemon in
            try await Self.keep(["files.read", "files.write"], refreshedBy: provider, daemon)
            let first = try await daemon.token(Self.asked("files.read"))
            await daemon.broker.tokens.renewUsed()
            #expect(provider.renewals == 0)
            daemon.time.advance(by: Self.secondHalf)
            await daemon.broker.tokens.renewUsed()
            #expect(provider.renewals == 1)
            #expect(provider.renewalForms.last?["scope"]?.split(separator: " ").contains("files.read") == true)
            // The next round finds no token that was used since the renewal.
            daemon.time.advance(by: Self.pause)
            await daemon.broker.tokens.renewUsed()
            #expect(provider.renewals == 1)
            let next = try await daemon.token(Self.asked("files.read"))
            #expect(next.fromCache && next.accessToken.reveal() == "access-renewed-1" && next.account == first.account)
            #expect(next.expiresAt - daemon.time.now.wall > first.expiresAt - daemon.time.now.wall)
            #expect(provider.renewals == 1)
        }
    }

    @Test("a renewed token that is not used expires; once it is used it is renewed again") func unused()
        async throws
    {
        try await Daemon.withContoso { provider, daemon in
            try await Self.keep(["files.read"], refreshedBy: provider, daemon)
            _ = try await daemon.token(Self.asked("files.read"))
            daemon.time.advance(by: Self.secondHalf)
            await daemon.broker.tokens.renewUsed()
            let lastUsed = try daemon.cache.accounts.list(uid: 1000).first?.lastUsed
            daemon.time.advance(by: Self.secondHalf)
            await daemon.broker.tokens.renewUsed()
            await daemon.broker.housekeeping()
            #expect(provider.renewals == 1)
            // A renewal in the background does not count as a use of the account.
            #expect(try daemon.cache.accounts.list(uid: 1000).first?.lastUsed == lastUsed)
            // A call in the second half of the token's lifetime starts a renewal, and counts as a use of the token.
            let late = try await daemon.token(Self.asked("files.read"))
            #expect(late.accessToken.reveal() == "access-renewed-1")
            try await waitUntil("the renewal has ended") {
                try await daemon.token(Self.asked("files.read")).accessToken.reveal() == "access-renewed-2"
            }
            try await Self.settle(daemon)
            daemon.time.advance(by: Self.secondHalf)
            await daemon.broker.tokens.renewUsed()
            #expect(provider.renewals == 3)
        }
    }

    @Test("a response from the response cache counts as a use, too") func repeated() async throws {
        try await Daemon.withContoso { provider, daemon in
            provider.live(7_200)
            try await Self.keep(["files.read"], refreshedBy: provider, daemon, life: .seconds(10_000))
            let reuse = try await daemon.reusable(Self.asked("files.read")).reuse
            daemon.time.advance(by: .seconds(4_000))
            reuse.use?.note(at: daemon.time.now)
            daemon.time.advance(by: .seconds(2_100))
            await daemon.broker.tokens.renewUsed()
            #expect(provider.renewals == 1)
        }
    }

    @Test("a token without a recent use is not renewed") func longAgo() async throws {
        try await Daemon.withContoso { provider, daemon in
            try await Self.keep(["files.read"], refreshedBy: provider, daemon, life: .seconds(86_400))
            _ = try await daemon.token(Self.asked("files.read"))
            daemon.time.advance(by: .seconds(13 * 3_600))
            await daemon.broker.tokens.renewUsed()
            #expect(provider.renewals == 0)
        }
    }

    @Test("nothing is renewed while its cache is locked, and renewal continues after the unlock") func locked()
        async throws
    {
        try await Daemon.withContoso { provider, daemon in
            try await Self.keep(["files.read"], refreshedBy: provider, daemon)
            _ = try await daemon.token(Self.asked("files.read"))
            try await daemon.broker.lock.lock(Secret("open sesame"), caller: daemon.caller())
            daemon.time.advance(by: Self.secondHalf)
            await daemon.broker.tokens.renewUsed()
            #expect(provider.renewals == 0)
            try await daemon.broker.lock.unlock(Secret("open sesame"), caller: daemon.caller())
            await daemon.broker.tokens.renewUsed()
            #expect(provider.renewals == 1)
        }
    }

    @Test("an authority's Retry-After is respected, the valid token is returned meanwhile, and then it is renewed")
    func pause() async throws {
        try await Daemon.withContoso { provider, daemon in
            try await Self.keep(["files.read"], refreshedBy: provider, daemon)
            _ = try await daemon.token(Self.asked("files.read"))
            daemon.time.advance(by: Self.secondHalf)
            provider.pause(300)
            for _ in 0..<3 {
                await daemon.broker.tokens.renewUsed()
                daemon.time.advance(by: Self.pause)
                #expect(try await daemon.token(Self.asked("files.read")).accessToken.reveal() == "access-files.read")
            }
            #expect(provider.renewals == 1)
            try await Self.settle(daemon)
            provider.pause(nil)
            daemon.time.advance(by: .seconds(200))
            await daemon.broker.tokens.renewUsed()
            #expect(provider.renewals == 2)
            #expect(try await daemon.token(Self.asked("files.read")).accessToken.reveal() == "access-renewed-2")
        }
    }

    @Test("a refused refresh token is tried once; the token is returned until it expires, and the account stays")
    func invalidGrant() async throws {
        try await Daemon.withContoso { provider, daemon in
            try await Self.keep(["files.read"], refreshedBy: provider, daemon)
            _ = try await daemon.token(Self.asked("files.read"))
            provider.forget()
            daemon.time.advance(by: Self.secondHalf)
            for _ in 0..<3 {
                await daemon.broker.tokens.renewUsed()
                daemon.time.advance(by: Self.pause)
            }
            #expect(provider.renewals == 1)
            #expect(try await daemon.token(Self.asked("files.read")).accessToken.reveal() == "access-files.read")
            #expect(try daemon.cache.accounts.list(uid: 1000).count == 1)
        }
    }

    @Test("a renewal in progress is the only one of its family: a caller that needs a new token shares it")
    func shared()
        async throws
    {
        try await Daemon.withContoso { provider, daemon in
            try await Self.keep(["files.read"], refreshedBy: provider, daemon)
            _ = try await daemon.token(Self.asked("files.read"))
            daemon.time.advance(by: Self.secondHalf)
            provider.hold(true)
            async let round: Void = daemon.broker.tokens.renewUsed()
            try await waitUntil("the renewal has begun") { provider.waitingRenewals == 1 }
            let request = Self.asked("files.read")
            #expect(try await daemon.token(request).accessToken.reveal() == "access-files.read")
            var urgent = request
            urgent.minValidityMs = 3_000_000
            async let caller = daemon.token(urgent)
            let family = try await Self.family(daemon)
            try await waitUntil("a caller waits, too") { await daemon.broker.store.renewer.waiting(family) == 2 }
            provider.hold(false)
            #expect(try await caller.accessToken.reveal() == "access-renewed-1")
            await round
            #expect(provider.renewals == 1)
        }
    }

    @Test("one uid's renewals leave room for other uids, and the number of concurrent renewals is limited")
    func bounds() async throws {
        try await Daemon.withContoso { provider, daemon in
            // The authority does not know these refresh tokens. It receives and rejects one renewal request for each.
            for number in 0..<6 { try await Self.keep(["files.read"], "person-\(number)", daemon) }
            for uid in 2_001..<2_010 { try await Self.keep(["files.read"], "person-\(uid)", daemon, uid: UInt32(uid)) }
            for number in 0..<6 { try await Self.use("person-\(number)", daemon) }
            for uid in 2_001..<2_010 { try await Self.use("person-\(uid)", daemon, uid: UInt32(uid)) }
            daemon.time.advance(by: Self.secondHalf)
            provider.hold(true)
            async let round: Void = daemon.broker.tokens.renewUsed()
            try await waitUntil("as many as may are under way") {
                provider.waitingRenewals == TokenDesk.renewalsAtOnce
            }
            #expect(provider.renewals == TokenDesk.renewalsAtOnce)
            provider.hold(false)
            await round
            #expect(provider.renewals == TokenDesk.renewalsPerUID + 9)
            await daemon.broker.tokens.renewUsed()
            #expect(provider.renewals == 6 + 9)
        }
    }

    @Test("a sign-in that is too old does not become newer by renewing; a recent one is renewed")
    func age() async throws {
        try await Daemon.withContoso { provider, daemon in
            try await Self.keep(["files.read"], refreshedBy: provider, daemon)
            daemon.time.advance(by: .seconds(120))
            var request = Self.asked("files.write")
            request.maxAge = 60
            for _ in 0..<3 {
                let refusal = await #expect(throws: Refusal.self) { try await daemon.token(request) }
                #expect(refusal?.reason == .interactionRequired)
            }
            #expect(provider.renewals == 0)
            request.maxAge = 600
            #expect(try await daemon.token(request).accessToken.reveal() == "access-renewed-1")
            #expect(provider.renewals == 1)
        }
    }

    @Test("renewals for requests without a cached token have a limit per minute, and cached tokens are still returned")
    func share()
        async throws
    {
        try await Daemon.withContoso { provider, daemon in
            try await Self.keep(["files.read"], refreshedBy: provider, daemon)
            for _ in 0..<600 { try daemon.broker.tokens.limits.renewals.charge(1000, at: daemon.time.now) }
            let refusal = await #expect(throws: Refusal.self) { try await daemon.token(Self.asked("files.write")) }
            #expect(refusal?.reason == .limitExceeded && refusal?.retryAfterMs == 60_000)
            #expect(provider.renewals == 0)
            #expect(try await daemon.token(Self.asked("files.read")).fromCache)
            daemon.time.advance(by: .seconds(61))
            #expect(try await daemon.token(Self.asked("files.write")).accessToken.reveal() == "access-renewed-1")
        }
    }

    @Test("a uid's tokens displace its own, never another uid's") func memory() {
        let (used, clock) = (RecentTokenUses(), TestClock())
        func note(_ scope: String, uid: UInt32) {
            let asked = TokenUseRecord.Asked(uid: uid, account: "a", policy: "contoso", resource: "", scopes: [scope])
            _ = used.note(asked, due: Deadline(.zero, after: clock.now), at: clock.now)
            clock.advance(by: .seconds(1))
        }
        note("theirs", uid: 7)
        for number in 0..<(RecentTokenUses.perUID + 8) { note("\(number)", uid: 8) }
        #expect(used.count == RecentTokenUses.perUID + 1)
        let due = used.due(at: clock.now).map(\.asked)
        #expect(due.contains { $0.uid == 7 })
        #expect(due.contains { $0.scopes == ["39"] } && !due.contains { $0.scopes == ["7"] })
        for uid in 100..<(100 + UInt32(RecentTokenUses.limit)) { note("theirs", uid: uid) }
        #expect(used.count == RecentTokenUses.limit)
    }

    // MARK: Helpers

    static func asked(_ scope: String, user: String? = nil, at name: String = "contoso") -> AcquireRequest {
        AcquireRequest(scope) {
            $0.policy = name
            $0.prompt = .none
            $0.user = user.map { .init(id: $0, kind: .requiredDisplayableID) }
        }
    }

    /// Requests a user's token, and expects it to come from the cache.
    private static func use(_ person: String, _ daemon: Daemon, uid: UInt32 = 1000) async throws {
        let token = try await daemon.token(asked("files.read", user: person), uid: uid)
        #expect(token.fromCache)
    }

    /// Stores tokens of the provider's user, with a refresh token that the provider accepts.
    static func keep(
        _ scopes: [String],
        refreshedBy provider: LocalProvider,
        _ daemon: Daemon,
        life: Duration = .seconds(3_600)
    ) async throws {
        try await keep(scopes, "person-1", daemon, provider.giveRefreshToken(), life: life)
    }

    /// Stores an access token for each scope, as a sign-in does.
    static func keep(
        _ scopes: [String],
        _ person: String,
        _ daemon: Daemon,
        uid: UInt32 = 1000,
        _ refreshToken: String = "unknown",
        at name: String = "contoso",
        life: Duration = .seconds(3_600)
    ) async throws {
        let authority = try #require(daemon.broker.settings().authorities[name]).registration
        let subject = OutsidePerson(subject: person, issuer: authority.issuer).text
        let (now, id) = (daemon.time.now, daemon.cache.accounts.id(uid: uid, authority: name, subject: subject))
        for scope in scopes {
            let unit = StoreUnit(
                account: AccountUpsert(
                    uid: uid,
                    authority: name,
                    subject: subject,
                    username: person,
                    displayName: nil,
                    policy: name
                ),
                token: TokenRow(
                    uid: uid,
                    account: id,
                    client: authority.clientID,
                    authority: name,
                    policy: name,
                    resource: "",
                    scopes: [scope],
                    accessToken: Secret("access-\(scope)"),
                    expires: Deadline(life, after: now),
                    expiresAt: now.wall + life.milliseconds,
                    acr: "",
                    amr: [],
                    authTime: now.wall,
                    claims: Data("{\"auth_time\":\(now.seconds)}".utf8),
                    username: person,
                    receivedAt: now.wall
                ),
                refreshToken: RefreshTokenRow(
                    client: authority.clientID,
                    policy: name,
                    token: Secret(refreshToken),
                    expires: Deadline(.seconds(86_400 * 30), after: now)
                )
            )
            try await daemon.cache.store(unit, expectedGeneration: nil)
        }
    }

    /// Waits until no renewal is in progress, so that later calls start new renewals.
    private static func settle(_ daemon: Daemon) async throws {
        _ = try? await daemon.broker.store.renewer.renewed(try await family(daemon)) { throw CancellationError() }
    }

    static func family(_ daemon: Daemon) async throws -> FamilyKey {
        let account = try #require(try daemon.cache.accounts.list(uid: 1000).first).account
        let client = try #require(daemon.broker.settings().authorities["contoso"]).registration.clientID
        return FamilyKey(uid: 1000, account: account, client: client, policy: "contoso")
    }
}
