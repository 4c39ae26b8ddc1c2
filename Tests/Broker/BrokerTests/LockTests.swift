import Authority
import DurableSQLite
import FlowModel
import Flows
import Foundation
import GRDB
import Localization
import OAuth
import Synchronization
import TestSupport
import Testing

@testable import AuthorityStore
@testable import Broker
@testable import TokenCache

@Suite(.timeLimit(.minutes(2)), .indexedStatements)
struct LockTests {
    private let passphrase = Secret("an old grey heron")

    private func lock(_ daemon: Daemon, _ passphrase: Secret? = nil, uid: UInt32 = 1000) async throws {
        try await daemon.broker.lock.lock(
            passphrase ?? self.passphrase,
            caller: daemon.caller(uid)
        )
    }

    private func unlock(_ daemon: Daemon, _ passphrase: Secret? = nil, uid: UInt32 = 1000) async throws {
        try await daemon.broker.lock.unlock(
            passphrase ?? self.passphrase,
            caller: daemon.caller(uid)
        )
    }

    private func refusal(_ body: () async throws -> Void) async -> Refusal? {
        do {
            try await body()
            return nil
        } catch {
            return error as? Refusal
        }
    }

    @Test("a locked cache returns nothing, and the same token once it is unlocked") func token() async throws {
        let daemon = try await Daemon()
        try await daemon.signUp()
        let token = try await daemon.token("tasks.read").accessToken
        try await lock(daemon)
        #expect(try await daemon.broker.status(caller: daemon.caller()).locked)
        let refused = await refusal { _ = try await daemon.token("tasks.read") }
        #expect(refused?.reason == .locked)
        #expect(refused?.message.contains("tokenbroker unlock") == true)
        #expect(await refusal { _ = try await daemon.broker.accounts.list(caller: daemon.caller()) }?.reason == .locked)
        #expect(await refusal { try await lock(daemon) }?.reason == .locked)
        try await unlock(daemon)
        #expect(try await daemon.token("tasks.read").accessToken == token)
        #expect(try await !daemon.broker.status(caller: daemon.caller()).locked)
        #expect(try await daemon.events().filter { $0.hasPrefix("cache.") } == ["cache.locked", "cache.unlocked"])
    }

    @Test("a cached response is dropped by a lock and by an unlock") func remembered()
        async throws
    {
        let daemon = try await Daemon()
        try await daemon.signUp()
        let reuse = try await daemon.reusable(AcquireRequest("tasks.read")).reuse
        #expect(reuse.generation == daemon.broker.tokens.generation(uid: 1000))
        try await lock(daemon)
        let locked = daemon.broker.tokens.generation(uid: 1000)
        #expect(locked != reuse.generation)
        try await unlock(daemon)
        #expect(daemon.broker.tokens.generation(uid: 1000) != locked)
    }

    @Test("a lock of one uid does not affect other uids") func others() async throws {
        let daemon = try await Daemon()
        try await daemon.signUp()
        try await daemon.signUp("bob@example.org", uid: 1001)
        let generation = daemon.broker.tokens.generation(uid: 1001)
        try await lock(daemon)
        #expect(daemon.broker.tokens.generation(uid: 1001) == generation)
        #expect(try await daemon.token("tasks.read", uid: 1001).fromCache)
        try await lock(daemon, Secret("another"), uid: 1001)
        try await unlock(daemon)
        #expect(daemon.broker.lock.isLocked(uid: 1001))
    }

    @Test("a wrong passphrase is charged before it is checked, and after the limit even the right one is not checked")
    func wrong() async throws {
        let place = try Place()
        let daemon = try await Daemon(in: place)
        try await daemon.signUp()
        try await lock(daemon)
        for attempt in 1...5 {
            let refused = await refusal { try await unlock(daemon, Secret("wrong")) }
            #expect(refused?.reason == .invalidAnswer)
            #expect((refused?.retryAfterMs != nil) == (attempt == 5))
        }
        for guess in ["wrong", passphrase.reveal()] {
            let refused = await refusal { try await unlock(daemon, Secret(guess)) }
            #expect(refused?.reason == .blocked)
            #expect((1...60_000).contains(refused?.retryAfterMs ?? 0))
        }
        #expect(daemon.broker.lock.isLocked(uid: 1000))
        #expect(try await daemon.events().count { $0 == "cache.unlock_failed" } == 5)
        #expect(try await daemon.events().count { $0 == "cache.unlock_blocked" } == 2)
        daemon.time.advance(by: .seconds(61))
        try await unlock(daemon)
        #expect(try await daemon.token("tasks.read").fromCache)
    }

    @Test("a right passphrase returns its charge") func settled() async throws {
        let daemon = try await Daemon()
        try await daemon.signUp()
        for _ in 0..<12 {
            try await lock(daemon)
            #expect(await refusal { try await unlock(daemon, Secret("wrong")) }?.reason == .invalidAnswer)
            try await unlock(daemon)
            daemon.time.advance(by: .seconds(60))
        }
    }

    @Test("a right passphrase unlocks, even if its charge cannot be returned") func unsettled() async throws {
        let daemon = try await Daemon()
        try await daemon.signUp()
        try await lock(daemon)
        let fails = """
            CREATE TRIGGER unsettled BEFORE UPDATE ON attempts WHEN NEW.used < OLD.used
            BEGIN SELECT RAISE(FAIL, 'planned'); END
            """
        try await daemon.store.core.database.write { db in try db.execute(sql: fails) }
        try await unlock(daemon)
        #expect(try await daemon.token("tasks.read").fromCache)
        #expect(daemon.kept.keys.withLock { $0[1000] != nil })
        #expect(try await daemon.events().contains("cache.unlocked"))
        // The charged attempt could not be refunded, so it still counts.
        let used = try await daemon.store.core.database.read { db in try db.number("SELECT max(used) FROM attempts") }
        #expect(used > 0)
    }

    @Test("a lock whose rows cannot all be sealed is still a lock, and its key is forgotten") func unfinished()
        async throws
    {
        let daemon = try await Daemon()
        try await daemon.signUp()
        for index in 0..<TokenCache.Vaults.sealedAtOnce {
            let account = AccountUpsert(
                uid: 1000,
                authority: "another",
                subject: "\(index)",
                username: "\(index)",
                displayName: nil,
                policy: "b2c_1_sign_in"
            )
            try await daemon.cache.store(StoreUnit(account: account), expectedGeneration: nil)
        }
        let fails = """
            CREATE TRIGGER unfinished BEFORE UPDATE ON refresh_tokens BEGIN SELECT RAISE(FAIL, 'planned'); END
            """
        try await daemon.cache.core.database.write { db in try db.execute(sql: fails) }
        let old = VaultKey(uid: 1000, mark: VaultMark(id: "old", locks: 1), key: Secret("old"))
        daemon.kept.keys.withLock { $0[1000] = old }
        try await lock(daemon)
        #expect(daemon.broker.lock.isLocked(uid: 1000))
        #expect(daemon.kept.keys.withLock { $0[1000] == nil })
        try await daemon.cache.core.database.write { db in try db.execute(sql: "DROP TRIGGER unfinished") }
        try await unlock(daemon)
        #expect(try daemon.cache.tokens.list(uid: 1000).count == 1)
    }

    @Test("unlocking an unlocked cache does not check the passphrase") func idle() async throws {
        let daemon = try await Daemon()
        for _ in 0..<10 { try await unlock(daemon, Secret("whatever")) }
        #expect(try await !daemon.events().contains { $0.hasPrefix("cache.") })
    }

    @Test("a lock ends the waiting flows, and their callers are notified") func flows() async throws {
        let daemon = try await Daemon()
        try await daemon.signUp()
        let flow = try await daemon.flow(AcquireRequest("tasks.read") { $0.prompt = .login })
        try await lock(daemon)
        try await unlock(daemon)
        let after = try await daemon.flows.get(flow.id, owner: daemon.caller().owner)
        #expect(after.state == .cancelled)
        #expect(try await daemon.broker.status(caller: daemon.caller()).counts["flows"] == 0)
    }

    @Test("a flow that is answered while the cache is locked yields nothing, and its tokens are revoked")
    func answeredTooLate() async throws {
        let daemon = try await Daemon()
        var request = AcquireRequest("tasks.read")
        request.prompt = .create
        let flow = try await daemon.flow(request)
        // Locks only the cache, as if the answer had been in progress during the lock.
        try await daemon.cache.vaults.lock(uid: 1000, recipe: Data(), wrapping: Secret(bytes: Data(count: 32)))
        #expect(await refusal { _ = try await daemon.answer(flow) }?.reason == .locked)
        #expect(try await daemon.events().contains("family.revoked"))
    }

    @Test("all accounts can be signed out while the cache is locked, and a single account cannot") func signOut()
        async throws
    {
        let daemon = try await Daemon()
        let account = try await daemon.signUp().account
        try await lock(daemon)
        func signOut(_ extent: SignOutRequest.Extent) async throws -> SignOutSummary {
            try await daemon.broker.signOuts.signOut(SignOutRequest(extent), caller: daemon.caller())
        }
        #expect(await refusal { _ = try await signOut(.account(account)) }?.reason == .locked)
        let answer = try await signOut(.all)
        #expect(answer.tokens == 1)
        #expect(answer.sessions == 1)
        #expect(answer.left.isEmpty)
        #expect(!daemon.broker.lock.isLocked(uid: 1000))
        #expect(try await daemon.broker.accounts.list(caller: daemon.caller()).isEmpty)
        #expect(await refusal { _ = try await daemon.token(AcquireRequest("tasks.read") { $0.prompt = .none }) } != nil)
    }

    @Test("the key of an unlocked cache is stored until it is locked or all accounts are signed out") func kept()
        async throws
    {
        let daemon = try await Daemon()
        try await daemon.signUp()
        func isKept() -> Bool { daemon.kept.keys.withLock { $0[1000] != nil } }
        try await lock(daemon)
        #expect(!isKept())
        try await unlock(daemon)
        #expect(isKept())
        try await lock(daemon)
        #expect(!isKept())
        try await unlock(daemon)
        _ = try await daemon.broker.signOuts.signOut(
            SignOutRequest(.all),
            caller: daemon.caller()
        )
        #expect(!isKept())
    }

    @Test("equivalent Unicode forms of a passphrase are equal, and long passphrases count to their end") func texts()
        async throws
    {
        let daemon = try await Daemon()
        let long = String(repeating: "ab", count: 511)
        try await lock(daemon, Secret(long + "e\u{301}"))
        #expect(await refusal { try await unlock(daemon, Secret(long + "e")) }?.reason == .invalidAnswer)
        try await unlock(daemon, Secret(long + "\u{e9}"))
        #expect(!daemon.broker.lock.isLocked(uid: 1000))
    }
}
