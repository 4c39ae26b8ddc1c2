import DurableSQLite
import Foundation
import GRDB
import OAuth
import Storage
import TestSupport
import Testing

@testable import TokenCache

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct StoreKeyTests {
    private let folder: TemporaryFolder
    private let cache: TokenCache

    init() throws {
        folder = try TemporaryFolder()
        cache = try TokenCache.open(
            TokenCache.Options(
                directory: folder.path("state"),
                key: Secret(bytes: [UInt8](repeating: 1, count: 32)),
                clock: TestClock().clock
            )
        )
    }

    private func account(_ subject: String = "ada", uid: UInt32 = 1000) async throws -> String {
        let account = AccountUpsert(
            uid: uid,
            authority: "local",
            subject: subject,
            username: "\(subject)@example.org",
            displayName: nil,
            policy: "b2c_1_sign_in"
        )
        return try await cache.store(StoreUnit(account: account), expectedGeneration: nil).account
    }

    private func key(
        _ account: String,
        uid: UInt32 = 1000,
        _ client: String = "tasks",
        _ purpose: String = "rows"
    )
        async throws -> Secret?
    {
        try await cache.storeKeys.key(uid: uid, account: account, client: client, purpose: purpose)
    }

    @Test("a key is the same at every call, and different for each account, client and purpose") func keys()
        async throws
    {
        let (ada, bob) = (try await account(), try await account("bob"))
        let first = try await key(ada)
        #expect(first?.count == 32)
        #expect(try await key(ada) == first)
        let others = [try await key(bob), try await key(ada, "other"), try await key(ada, "tasks", "notes")]
        #expect(Set(others + [first]).count == 4)
    }

    @Test("a uid gets no key of another uid's account") func foreign() async throws {
        let ada = try await account()
        #expect(try await key(ada, uid: 1001) == nil)
        #expect(try await key("unknown") == nil)
    }

    @Test("a key is not readable in the file") func sealed() async throws {
        let secret = try #require(try await key(account())).revealBytes()
        for file in ["cache.sqlite", "cache.sqlite-wal"] {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path("state/\(file)")))
            #expect(bytes.range(of: secret) == nil)
        }
    }

    @Test("a lock locks the key and seals it again, and the passphrase restores it") func locked() async throws {
        let ada = try await account()
        let first = try await key(ada)
        let wrapping = Secret(bytes: [UInt8](repeating: 7, count: 32))
        let before = try cache.core.database.readInline {
            try Data.fetchOne($0, sql: "/* test */ SELECT secret FROM store_keys")
        }
        try await cache.vaults.lock(uid: 1000, recipe: Data("recipe".utf8), wrapping: wrapping)
        let after = try cache.core.database.readInline {
            try Data.fetchOne($0, sql: "/* test */ SELECT secret FROM store_keys")
        }
        #expect(before != after)
        let error = await #expect(throws: StoreError.self) { try await key(ada) }
        #expect(error?.code == .locked)
        let door = try #require(try cache.vaults.door(uid: 1000))
        #expect(try await cache.vaults.unlock(door, wrapping: wrapping) != nil)
        #expect(try await key(ada) == first)
    }

    @Test("a key is deleted with its account") func signedOut() async throws {
        let ada = try await account()
        let first = try await key(ada)
        _ = try await cache.signOuts.begin(uid: 1000, .accounts([ada]))
        #expect(try await key(ada) == nil)
        #expect(try await key(account()) != first)
    }

    /// Treats the cache as restored from a backup, and opens it as the next daemon does.
    private func restored() throws -> TokenCache {
        let state = try StateDirectory(folder.path("state"))
        try cache.core.database.close()
        #expect(TokenCache.endSessions("cache.sqlite", in: state))
        let key = Secret(bytes: [UInt8](repeating: 1, count: 32))
        let claim = try TokenCache.Claim(.init(directory: folder.path("other"), key: key, clock: TestClock().clock))
        return try TokenCache.open(.init(directory: state.path, key: key, clock: TestClock().clock), claim)
    }

    private func ada(_ cache: TokenCache) async throws -> String {
        let account = AccountUpsert(
            uid: 1000,
            authority: "local",
            subject: "ada",
            username: "ada@example.org",
            displayName: nil,
            policy: "b2c_1_sign_in"
        )
        return try await cache.store(StoreUnit(account: account), expectedGeneration: nil).account
    }

    @Test("a restore ends accounts and keeps their keys for users who sign in again") func outlivesRestore()
        async throws
    {
        let first = try await key(account())
        _ = try await account("bob", uid: 1001)
        let after = try restored()
        #expect(try after.counts(uid: 1000).accounts == 0)
        #expect(try after.counts(uid: 1001).accounts == 0)
        let account = try await ada(after)
        #expect(
            try await after.storeKeys.key(uid: 1000, account: account, client: "tasks", purpose: "rows") == first
        )
        _ = try await after.signOuts.begin(uid: 1000, .accounts([account]))
        let again = try await ada(after)
        #expect(try await after.storeKeys.key(uid: 1000, account: again, client: "tasks", purpose: "rows") != first)
    }

    @Test("a restore keeps the lock of a uid that has keys, and no other") func locksOutliveRestore() async throws {
        let first = try await key(account())
        _ = try await account("bob", uid: 1001)
        let wrapping = Secret(bytes: [UInt8](repeating: 7, count: 32))
        for uid: UInt32 in [1000, 1001] {
            try await cache.vaults.lock(uid: uid, recipe: Data("recipe".utf8), wrapping: wrapping)
        }
        let after = try restored()
        #expect(after.vaults.isLocked(uid: 1000))
        #expect(!after.vaults.isLocked(uid: 1001))
        let door = try #require(try after.vaults.door(uid: 1000))
        #expect(try await after.vaults.unlock(door, wrapping: wrapping) != nil)
        let account = try await ada(after)
        #expect(
            try await after.storeKeys.key(uid: 1000, account: account, client: "tasks", purpose: "rows") == first
        )
    }

    @Test("signing out all accounts after a restore deletes keys whose accounts have not returned") func orphans()
        async throws
    {
        _ = try await key(account())
        let after = try restored()
        _ = try await after.signOuts.begin(uid: 1000, .all)
        let left = try after.core.database.readInline {
            try Int.fetchOne($0, sql: "/* test */ SELECT count(*) FROM store_keys")
        }
        #expect(left == 0)
    }

    @Test("a damaged cache file is not emptied") func unsound() throws {
        let state = try StateDirectory(folder.path("unsound"))
        #expect(!TokenCache.endSessions("cache.sqlite", in: state))
        try Data("no database".utf8).write(to: URL(fileURLWithPath: state.path("cache.sqlite")))
        #expect(!TokenCache.endSessions("cache.sqlite", in: state))
    }

    @Test("a uid has a limited number of keys") func limit() async throws {
        let ada = try await account()
        for number in 0..<TokenCache.StoreKeys.most { _ = try await key(ada, "tasks", "\(number)") }
        let error = await #expect(throws: StoreError.self) { try await key(ada, "tasks", "one more") }
        #expect(error?.code == .limitExceeded)
        #expect(try await key(ada, "tasks", "0") != nil)
    }
}
