import Foundation
import GRDB
import Moments
import OAuth
import Storage
import TestSupport
import Testing

@testable import DurableSQLite
@testable import TokenCache

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct VaultTests {
    let folder: TemporaryFolder
    let clock = TestClock()
    let cache: TokenCache
    private let recipe = Data("planted recipe".utf8)

    init() throws {
        folder = try TemporaryFolder()
        cache = try TokenCache.open(Self.options(folder, clock))
    }

    private static func options(
        _ folder: TemporaryFolder,
        _ clock: TestClock,
        _ state: String = "state"
    ) -> TokenCache.Options {
        TokenCache.Options(
            directory: folder.path(state),
            key: Secret(bytes: [UInt8](repeating: 1, count: 32)),
            clock: clock.clock
        )
    }

    private func wrapping(_ byte: UInt8 = 7) -> Secret { Secret(bytes: [UInt8](repeating: byte, count: 32)) }

    private func unit(
        _ subject: String = "ada",
        uid: UInt32 = 1000,
        scope: String = "read",
        authority: String = "local"
    ) -> StoreUnit {
        let account = cache.accounts.id(uid: uid, authority: authority, subject: subject)
        let expires = Deadline(.seconds(3600), after: clock.now)
        return StoreUnit(
            account: AccountUpsert(
                uid: uid,
                authority: authority,
                subject: subject,
                username: "\(subject)@example.org",
                displayName: nil,
                policy: "b2c_1_sign_in"
            ),
            token: TokenRow(
                uid: uid,
                account: account,
                client: "tasks",
                authority: authority,
                policy: "b2c_1_sign_in",
                resource: "tasks",
                scopes: [scope],
                accessToken: Secret("access of \(subject)"),
                expires: expires,
                expiresAt: expires.wall,
                acr: "1",
                amr: ["pwd"],
                authTime: clock.now.wall,
                claims: Data("{}".utf8),
                username: "\(subject)@example.org"
            ),
            refreshToken: RefreshTokenRow(
                client: "tasks",
                policy: "b2c_1_sign_in",
                token: Secret("refresh of \(subject)"),
                expires: expires
            )
        )
    }

    private func lock(_ uid: UInt32 = 1000, _ byte: UInt8 = 7) async throws {
        try await cache.vaults.lock(uid: uid, recipe: recipe, wrapping: wrapping(byte))
    }

    private func unlock(_ cache: TokenCache, _ uid: UInt32 = 1000, _ byte: UInt8 = 7) async throws -> VaultKey? {
        let door = try #require(try cache.vaults.door(uid: uid))
        #expect(door.recipe == recipe)
        return try await cache.vaults.unlock(door, wrapping: wrapping(byte))
    }

    private func tokens(_ cache: TokenCache, uid: UInt32 = 1000) throws -> [String] {
        try cache.tokens.list(uid: uid).map { $0.accessToken.reveal() }.sorted()
    }

    private func code(_ body: () async throws -> Void) async -> StoreError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? StoreError)?.code
        }
    }

    /// Opens the cache as the next process does after the previous process was killed.
    ///
    /// The write-ahead log is still present, because the cache was not closed.
    private func restarted() throws -> TokenCache {
        let target = folder.path("next")
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: target)
        for file in ["cache.sqlite", "cache.sqlite-wal"] {
            try FileManager.default.copyItem(atPath: folder.path("state/\(file)"), toPath: "\(target)/\(file)")
        }
        return try TokenCache.open(Self.options(folder, clock, "next"))
    }

    /// Returns the sealed columns of a uid's rows as the database stores them.
    private func sealed(_ cache: TokenCache, uid: UInt32 = 1000) throws -> [Data] {
        try cache.core.database.readInline { db in
            try [("accounts", "body"), ("tokens", "body"), ("refresh_tokens", "token")].flatMap { table, column in
                try Data.fetchAll(db, sql: "/* test */ SELECT \(column) FROM \(table) WHERE uid = \(uid)")
            }
        }
    }

    @Test("locked data is neither returned nor written, and is unchanged after the unlock") func lockAndUnlock()
        async throws
    {
        let account = try await cache.store(unit(), expectedGeneration: nil).account
        let generation = cache.generation(uid: 1000)
        try await lock()
        #expect(cache.vaults.isLocked(uid: 1000))
        #expect(cache.generation(uid: 1000) > generation)
        let query = TokenQuery(uid: 1000, client: "tasks", scopes: ["read"])
        #expect(await code { _ = try cache.accounts.list(uid: 1000) } == .locked)
        #expect(await code { _ = try cache.accounts.get(uid: 1000, id: account) } == .locked)
        #expect(await code { _ = try cache.tokens.find(query) } == .locked)
        #expect(await code { _ = try cache.tokens.list(uid: 1000) } == .locked)
        #expect(
            await code {
                _ = try cache.refreshTokens.get(uid: 1000, account: account, client: "tasks", policy: "b2c_1_sign_in")
            } == .locked
        )
        #expect(await code { try await cache.store(unit("bob"), expectedGeneration: nil) } == .locked)
        #expect(await code { try await lock() } == .locked)
        #expect(await code { _ = try await cache.signOuts.begin(uid: 1000, .accounts([account])) } == .locked)
        #expect(try cache.counts(uid: 1000) == (1, 1))

        #expect(try await unlock(cache) != nil)
        #expect(try tokens(cache) == ["access of ada"])
        #expect(try cache.accounts.list(uid: 1000).map(\.username) == ["ada@example.org"])
        let refresh = try cache.refreshTokens.get(uid: 1000, account: account, client: "tasks", policy: "b2c_1_sign_in")
        #expect(refresh?.token.reveal() == "refresh of ada")
        #expect(try cache.vaults.door(uid: 1000) == nil)
    }

    @Test("another passphrase does not unlock") func wrong() async throws {
        try await cache.store(unit(), expectedGeneration: nil)
        try await lock()
        #expect(try await unlock(cache, 1000, 8) == nil)
        #expect(cache.vaults.isLocked(uid: 1000))
        #expect(try await unlock(cache) != nil)
    }

    @Test("a lock of one uid does not affect other uids") func others() async throws {
        try await cache.store(unit(), expectedGeneration: nil)
        try await cache.store(unit(uid: 1001), expectedGeneration: nil)
        let rows = try sealed(cache, uid: 1001)
        let generation = cache.generation(uid: 1001)
        try await lock()
        #expect(!cache.vaults.isLocked(uid: 1001))
        #expect(try tokens(cache, uid: 1001) == ["access of ada"])
        #expect(try sealed(cache, uid: 1001) == rows)
        #expect(cache.generation(uid: 1001) == generation)
        try await cache.store(unit("bob", uid: 1001), expectedGeneration: nil)
        #expect(try cache.accounts.list(uid: 1001).count == 2)
    }

    @Test("all rows are sealed by the vault's key, also later ones, and the log keeps nothing else")
    func sealedRows() async throws {
        try await cache.store(unit(), expectedGeneration: nil)
        let before = try sealed(cache)
        try #require(before.count == 3 && before.allSatisfy(cache.core.sealing.claims))
        try await lock()
        let log = try Data(contentsOf: URL(fileURLWithPath: folder.path("state/cache.sqlite-wal")))
        #expect(log.isEmpty, "the lock itself empties the log")
        _ = try await unlock(cache)
        try await cache.store(unit("bob"), expectedGeneration: nil)
        let after = try sealed(cache)
        #expect(after.count == 6)
        #expect(!after.contains(where: cache.core.sealing.claims))
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path("state"))
        #expect(files.contains("cache.sqlite"), "\(files)")
        for name in files where name.hasPrefix("cache.sqlite") {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path("state/\(name)")))
            for old in before { #expect(bytes.range(of: old) == nil, "in \(name)") }
            #expect(bytes.range(of: recipe) == nil, "the recipe is sealed, too")
        }
    }

    @Test("a restart locks the cache, and its passphrase unlocks it") func restart() async throws {
        try await cache.store(unit(), expectedGeneration: nil)
        try await lock()
        _ = try await unlock(cache)
        let next = try restarted()
        #expect(next.vaults.isLocked(uid: 1000))
        #expect(await code { _ = try next.tokens.list(uid: 1000) } == .locked)
        _ = try await unlock(next)
        #expect(try tokens(next) == ["access of ada"])
    }

    @Test("a lock that fails between two pages is a lock, and completes at the unlock")
    func interrupted() async throws {
        let count = TokenCache.Vaults.sealedAtOnce
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<count {
                group.addTask { try await cache.store(unit("p\(index)"), expectedGeneration: nil) }
            }
            try await group.waitForAll()
        }
        let fails = """
            CREATE TRIGGER interruption BEFORE UPDATE OF token ON refresh_tokens
            BEGIN SELECT RAISE(FAIL, 'interrupted'); END
            """
        try await cache.core.database.write { db in try db.execute(sql: fails) }
        #expect(try await cache.vaults.lock(uid: 1000, recipe: recipe, wrapping: wrapping())?.code == .failed)
        // The passphrase is already required, even for rows that the vault's key does not seal yet.
        #expect(cache.vaults.isLocked(uid: 1000))
        #expect(#expect(throws: StoreError.self) { try cache.tokens.list(uid: 1000) }?.code == .locked)
        let left = try sealed(cache).count(where: cache.core.sealing.claims)
        #expect(left == count)

        // The process ends here. The vault exists, but half of the rows are not sealed with its key yet.
        let next = try restarted()
        #expect(next.vaults.isLocked(uid: 1000))
        try await next.core.database.write { db in try db.execute(sql: "DROP TRIGGER interruption") }
        _ = try await unlock(next)
        #expect(try next.accounts.list(uid: 1000).count == count)
        let account = next.accounts.id(uid: 1000, authority: "local", subject: "p7")
        let refresh = try next.refreshTokens.get(uid: 1000, account: account, client: "tasks", policy: "b2c_1_sign_in")
        #expect(refresh?.token.reveal() == "refresh of p7")
        #expect(try !sealed(next).contains(where: next.core.sealing.claims))
        #expect(try await next.check().isEmpty)

        // The process that locked the cache can unlock it too.
        try await cache.core.database.write { db in try db.execute(sql: "DROP TRIGGER interruption") }
        _ = try await unlock(cache)
        #expect(try cache.tokens.list(uid: 1000).count == count)
        #expect(try !sealed(cache).contains(where: cache.core.sealing.claims))
    }

    @Test("a lock that cannot begin changes nothing") func refused() async throws {
        try await cache.store(unit(), expectedGeneration: nil)
        let fails = "CREATE TRIGGER refusal BEFORE INSERT ON vaults BEGIN SELECT RAISE(FAIL, 'refused'); END"
        try await cache.core.database.write { db in try db.execute(sql: fails) }
        #expect(await code { try await lock() } == .failed)
        #expect(!cache.vaults.isLocked(uid: 1000))
        #expect(try tokens(cache) == ["access of ada"])
        let rows = try sealed(cache)
        #expect(rows.count == 3 && rows.allSatisfy(cache.core.sealing.claims))
    }

    @Test("a write during the start of a lock is sealed by it or rejected") func underWay() async throws {
        try await cache.store(unit(), expectedGeneration: nil)
        let written = try await withThrowingTaskGroup(of: String?.self) { group in
            for index in 0..<300 {
                group.addTask {
                    if index == 150 {
                        try await lock()
                        return nil
                    }
                    do {
                        try await cache.store(unit("p\(index)"), expectedGeneration: nil)
                        return "access of p\(index)"
                    } catch let error as StoreError where error.code == .locked {
                        return nil
                    }
                }
            }
            return try await group.reduce(into: ["access of ada"]) { if let token = $1 { $0.append(token) } }
        }
        #expect(cache.vaults.isLocked(uid: 1000))
        #expect(try !sealed(cache).contains(where: cache.core.sealing.claims))
        _ = try await unlock(cache)
        #expect(try tokens(cache) == written.sorted())
    }

    @Test("a concurrent lock, unlock and sign-out leave the cache in the state of one of them") func atOnce()
        async throws
    {
        for _ in 0..<20 {
            try await cache.store(unit(), expectedGeneration: nil)
            try await lock()
            let door = try #require(try cache.vaults.door(uid: 1000))
            await withTaskGroup(of: Void.self) { group in
                group.addTask { _ = try? await cache.vaults.unlock(door, wrapping: wrapping()) }
                group.addTask { try? await lock(1000, 8) }
                group.addTask { _ = try? await cache.signOuts.begin(uid: 1000, .all) }
            }
            let vaults = try cache.core.database.readInline { db in
                try db.number("/* test */ SELECT count(*) FROM vaults")
            }
            if case .none = cache.core.vaults.state(1000) { #expect(vaults == 0) } else { #expect(vaults == 1) }
            _ = try await cache.signOuts.begin(uid: 1000, .all)
            #expect(try cache.accounts.list(uid: 1000).isEmpty)
        }
    }

    @Test("a second lock may have another passphrase, and the first one no longer unlocks") func relock()
        async throws
    {
        try await cache.store(unit(), expectedGeneration: nil)
        try await lock(1000, 7)
        let first = try #require(try await unlock(cache))
        try await lock(1000, 8)
        #expect(try await unlock(cache, 1000, 7) == nil)
        let second = try #require(try await unlock(cache, 1000, 8))
        #expect(first.mark.id == second.mark.id)
        #expect(try tokens(cache) == ["access of ada"])
    }

    @Test("a stored key unlocks after a restart, if it is from the last lock of this vault") func kept()
        async throws
    {
        try await cache.store(unit(), expectedGeneration: nil)
        try await lock()
        let first = try #require(try await unlock(cache))
        try await lock()
        #expect(!cache.vaults.takeBack(first), "it was handed out before the lock")
        #expect(cache.vaults.isLocked(uid: 1000))
        let second = try #require(try await unlock(cache))
        #expect(!cache.vaults.takeBack(second), "nothing is locked")

        let next = try restarted()
        let again = try #require(VaultKey(serialized: second.serialized))
        #expect(
            !next.vaults.takeBack(VaultKey(uid: 1000, mark: second.mark, key: wrapping(3))),
            "the key is another one"
        )
        #expect(
            !next.vaults.takeBack(VaultKey(uid: 1001, mark: second.mark, key: second.key)),
            "the uid is another one"
        )
        #expect(!next.vaults.takeBack(first))
        #expect(next.vaults.takeBack(again))
        #expect(try tokens(next) == ["access of ada"])
        // The sign-out deletes the vault, and the next lock creates a new vault.
        _ = try await next.signOuts.begin(uid: 1000, .all)
        try await next.store(unit(), expectedGeneration: nil)
        try await next.vaults.lock(uid: 1000, recipe: recipe, wrapping: wrapping())
        #expect(!next.vaults.takeBack(again))
        #expect(next.vaults.isLocked(uid: 1000))
    }

    @Test("an invalid key is read as nil") func serialized() throws {
        let key = VaultKey(
            uid: 4_000_000_000,
            mark: VaultMark(id: String(repeating: "x", count: 22), locks: 3),
            key: wrapping()
        )
        #expect(VaultKey(serialized: key.serialized) == key)
        #expect(key.serialized.count == VaultKey.length)
        let bytes = key.serialized.revealBytes()
        for wrong in [Data(), bytes.dropLast(), bytes + [0], Data(bytes.reversed()), Data(count: bytes.count)] {
            #expect(VaultKey(serialized: Secret(bytes: wrong)) == nil)
        }
    }

    @Test("all accounts of a locked cache can be signed out, which leaves it unlocked and empty") func signOut()
        async throws
    {
        try await cache.store(unit(), expectedGeneration: nil)
        try await cache.store(unit("eve", authority: "contoso"), expectedGeneration: nil)
        try await lock()
        let result = try await cache.signOuts.begin(uid: 1000, .all)
        #expect(result.tokens == 2)
        #expect(result.accounts == 2)
        #expect(result.unopened == ["contoso", "local"])
        #expect(result.ticket.isAll)
        #expect(result.ticket.targets.isEmpty)
        #expect(!cache.vaults.isLocked(uid: 1000))
        #expect(try cache.accounts.list(uid: 1000).isEmpty)
        #expect(
            try cache.core.database.readInline { db in try db.number("/* test */ SELECT count(*) FROM vaults") } == 0
        )
        // A token that is stored after the sign-out is sealed with the cache key alone.
        try await cache.store(unit("bob"), expectedGeneration: nil)
        let rows = try sealed(cache)
        #expect(rows.count == 3 && rows.allSatisfy(cache.core.sealing.claims))
        #expect(try tokens(restarted()) == ["access of bob"])
    }

    @Test("a sign-out of an unlocked cache knows its accounts, and deletes the vault") func signOutOpen() async throws {
        try await cache.store(unit(), expectedGeneration: nil)
        try await lock()
        _ = try await unlock(cache)
        let result = try await cache.signOuts.begin(uid: 1000, .all)
        #expect(result.ticket.targets.map(\.subject) == ["ada"])
        #expect(result.unopened.isEmpty)
        #expect(!cache.vaults.isLocked(uid: 1000))
        try await cache.store(unit("bob"), expectedGeneration: nil)
        #expect(try tokens(cache) == ["access of bob"])
    }

    @Test("operator actions and expiry continue while it is locked, and no locked row is taken for a damaged one")
    func upkeep() async throws {
        try await cache.store(unit(), expectedGeneration: nil)
        try await cache.store(unit("bob"), expectedGeneration: nil)
        try await lock()
        #expect(try await cache.tokens.remove(authority: "local", subject: "bob") == 1)
        try await cache.tokens.removeAccessTokens(authority: "local", subject: "unknown")
        try await cache.accounts.noteUses([AccountUse(uid: 1000, account: "a", at: clock.now.wall)])
        try await cache.sweep(limit: 10)
        _ = try cache.signOuts.pending()
        #expect(
            try cache.core.database.readInline { db in try db.number("/* test */ SELECT count(*) FROM damaged") } == 0
        )
        _ = try await unlock(cache)
        #expect(try tokens(cache) == ["access of ada"])
        #expect(try cache.accounts.list(uid: 1000).count == 2)
        clock.advance(by: .seconds(7200))
        try await lock()
        #expect(try await cache.sweep(limit: 10) > 0)
    }

    @Test("a damaged row of an unlocked vault is set aside, one that was read too early is not") func damaged()
        async throws
    {
        let account = try await cache.store(unit(), expectedGeneration: nil).account
        try await lock()
        _ = try await unlock(cache)
        cache.core.memory.remember(DamagedRow(column: TokenCache.Accounts.body, row: account))
        try await cache.core.database.write { db in
            try db.execute(sql: "/* test */ UPDATE tokens SET body = (SELECT token FROM refresh_tokens)")
        }
        #expect(try cache.tokens.list(uid: 1000).isEmpty)
        try await cache.sweep(limit: 10)
        #expect(
            try cache.core.database.readInline { db in try db.number("/* test */ SELECT count(*) FROM tokens") } == 0
        )
        #expect(try cache.accounts.list(uid: 1000).count == 1)
    }

    @Test("a vault that does not unlock stays locked until all accounts are signed out") func damagedVault()
        async throws
    {
        try await cache.store(unit(), expectedGeneration: nil)
        try await lock()
        try await cache.core.database.write { db in try db.execute(sql: "/* test */ UPDATE vaults SET body = x'00'") }
        let next = try restarted()
        #expect(next.vaults.isLocked(uid: 1000))
        #expect(await code { _ = try next.vaults.door(uid: 1000) } == .corrupt)
        _ = try await next.signOuts.begin(uid: 1000, .all)
        #expect(!next.vaults.isLocked(uid: 1000))
    }
}
