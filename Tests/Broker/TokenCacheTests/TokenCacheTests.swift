import DurableSQLite
import Foundation
import GRDB
import Moments
import OAuth
import Storage
import TestSupport
import Testing

@testable import TokenCache

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct TokenCacheTests {
    let folder: TemporaryFolder
    let clock = TestClock()
    let cache: TokenCache

    init() throws {
        folder = try TemporaryFolder()
        cache = try TokenCache.open(Self.options(folder, clock))
    }

    private static func options(_ folder: TemporaryFolder, _ clock: TestClock, key: UInt8 = 1) -> TokenCache.Options {
        TokenCache.Options(
            directory: folder.path("state"),
            key: Secret(bytes: [UInt8](repeating: key, count: 32)),
            clock: clock.clock
        )
    }

    private func unit(
        _ subject: String,
        uid: UInt32 = 1000,
        scopes: [String] = ["read"],
        resource: String = "tasks",
        life: Duration = .seconds(3600),
        token: String = "access planted"
    ) -> StoreUnit {
        let account = cache.accounts.id(uid: uid, authority: "local", subject: subject)
        let expires = Deadline(life, after: clock.now)
        return StoreUnit(
            account: AccountUpsert(
                uid: uid,
                subject: subject,
                username: "\(subject)@example.org",
                displayName: nil,
                policy: "b2c_1_sign_in"
            ),
            token: TokenRow(
                uid: uid,
                account: account,
                client: "tasks",
                policy: "b2c_1_sign_in",
                resource: resource,
                scopes: scopes,
                accessToken: Secret(token),
                idToken: Secret("id planted"),
                expires: expires,
                expiresAt: expires.wall,
                acr: "1",
                amr: ["pwd"],
                authTime: clock.now.wall,
                claims: Data("{\"name\":\"Ada\"}".utf8),
                username: "\(subject)@example.org"
            ),
            refreshToken: RefreshTokenRow(
                client: "tasks",
                policy: "b2c_1_sign_in",
                token: Secret("refresh planted"),
                expires: Deadline(.seconds(86_400), after: clock.now)
            )
        )
    }

    private func query(_ account: String?, uid: UInt32 = 1000, scopes: [String] = ["read"]) -> TokenQuery {
        TokenQuery(uid: uid, account: account, client: "tasks", policy: "b2c_1_sign_in", scopes: scopes)
    }

    @Test("a token that grants more is found, the latest expiry first") func find() async throws {
        let account = try await cache.store(unit("ada", life: .seconds(60), token: "short"), expectedGeneration: 0)
        try await cache.store(unit("ada", scopes: ["write", "read"], token: "long"), expectedGeneration: 0)
        #expect(try cache.tokens.find(query(account.account)).map { $0.accessToken.reveal() } == ["long", "short"])
        #expect(try cache.tokens.find(query(nil, scopes: ["write"])).map { $0.accessToken.reveal() } == ["long"])
        #expect(try cache.tokens.find(query(account.account, scopes: ["admin"])).isEmpty)
        #expect(try cache.tokens.find(query(account.account, uid: 1001)).isEmpty)
        #expect(account.account.count == 22)
    }

    @Test("a token of another authority or policy, or for another resource, is not found") func selection() async throws
    {
        let account = try await cache.store(unit("ada"), expectedGeneration: nil).account
        func found(
            authority: String = "local",
            policy: String? = "b2c_1_sign_in",
            resource: String? = "tasks"
        ) throws -> Int {
            let query = TokenQuery(
                uid: 1000,
                account: account,
                client: "tasks",
                authority: authority,
                policy: policy,
                resource: resource,
                scopes: ["read"]
            )
            return try cache.tokens.find(query).count
        }
        #expect(try found() == 1)
        #expect(try found(policy: nil, resource: nil) == 1)
        #expect(try found(authority: "elsewhere") == 0)
        #expect(try found(policy: "b2c_1_other") == 0)
        #expect(try found(resource: "notes") == 0)
    }

    @Test("every write that changes a response invalidates the cached responses of the uid, and of no other")
    func generations()
        async throws
    {
        let before = cache.generation(uid: 1000)
        let account = try await cache.store(unit("ada"), expectedGeneration: nil).account
        let stored = cache.generation(uid: 1000)
        #expect(stored > before)
        _ = try await cache.accounts.makeDefault(uid: 1000, account: account)
        let chosen = cache.generation(uid: 1000)
        #expect(chosen > stored)
        try await cache.tokens.removeAccessTokens(authority: "local", subject: "ada")
        #expect(cache.generation(uid: 1000) > chosen)
        #expect(try cache.tokens.list(uid: 1000).isEmpty)
        #expect(cache.generation(uid: 1001) == 0)
    }

    @Test("a uid has a limited number of accounts, and existing ones can still be written") func accountsOfUID()
        async throws
    {
        let first = try await cache.store(unit("ada"), expectedGeneration: nil).account
        try await cache.core.database.write { db in
            try db.run(
                """
                /* test */ WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < :most)
                INSERT INTO accounts (id, uid, authority, person, body, last_used, created_at)
                SELECT 'a' || i, uid, authority, person, body, last_used, created_at FROM n, accounts WHERE id = :id
                """,
                ["most": TokenCache.Accounts.perUID, "id": first]
            )
        }
        try await cache.store(unit("ada", token: "renewed"), expectedGeneration: nil)
        let error = await #expect(throws: StoreError.self) {
            try await cache.store(unit("bob"), expectedGeneration: nil)
        }
        #expect(error?.code == .limitExceeded)
        try await cache.store(unit("bob", uid: 1001), expectedGeneration: nil)
    }

    @Test("the number of pending sign-outs is limited") func waitingSignOuts() async throws {
        try await cache.store(unit("ada"), expectedGeneration: nil)
        try await cache.core.database.write { db in
            try db.run(
                "/* test */ UPDATE counts SET value = :most WHERE id = 'pending_sign_outs'",
                ["most": TokenCache.SignOuts.mostPending]
            )
        }
        let error = await #expect(throws: StoreError.self) { try await cache.signOuts.begin(uid: 1000, .all) }
        #expect(error?.code == .limitExceeded)
        #expect(try cache.accounts.list(uid: 1000).count == 1)
    }

    @Test("each uid has one default account, which a renewal does not change") func defaultAccount() async throws {
        var ids: [String] = []
        for subject in ["ada", "bob"] {
            ids.append(try await cache.store(unit(subject), expectedGeneration: nil).account)
        }
        let elsewhere = try await cache.store(unit("ada", uid: 1001), expectedGeneration: nil).account
        for id in ids { #expect(try await cache.accounts.makeDefault(uid: 1000, account: id)?.isDefault == true) }
        #expect(try await cache.accounts.makeDefault(uid: 1001, account: elsewhere)?.isDefault == true)
        #expect(try await cache.accounts.makeDefault(uid: 1001, account: ids[0]) == nil)
        try await cache.store(unit("bob", token: "renewed"), expectedGeneration: nil)
        #expect(try cache.accounts.list(uid: 1000).filter(\.isDefault).map(\.account) == [ids[1]])
        #expect(try cache.accounts.list(uid: 1001).map(\.isDefault) == [true])
    }

    @Test("no account id begins with a dash") func dashes() throws {
        let subjects = (0..<400).map { "p\($0)" }
        let ids = subjects.map { cache.accounts.id(uid: 1000, authority: "local", subject: $0) }
        #expect(Set(ids).count == ids.count)
        #expect(!ids.contains { $0.hasPrefix("-") })
        let dashed = try #require(
            subjects.first { cache.core.opaque("1000\u{1F}local\u{1F}\($0)").hasPrefix("-") }
        )
        #expect(ids.contains("0" + cache.core.opaque("1000\u{1F}local\u{1F}\(dashed)").dropFirst()))
    }

    @Test("the default account survives reopening the cache") func defaultIsKept() async throws {
        let place = try TemporaryFolder()
        let options = Self.options(place, clock)
        func choose() async throws {
            let cache = try TokenCache.open(options)
            for subject in ["ada", "bob"] { try await cache.store(unit(subject), expectedGeneration: nil) }
            let bob = cache.accounts.id(uid: 1000, authority: "local", subject: "bob")
            _ = try await cache.accounts.makeDefault(uid: 1000, account: bob)
            try cache.close()
        }
        try await choose()
        let cache = try TokenCache.open(options)
        #expect(try cache.accounts.list(uid: 1000).filter(\.isDefault).map(\.username) == ["bob@example.org"])
    }

    @Test("accounts of one user at two uids are two accounts") func uids() async throws {
        let one = try await cache.store(unit("ada"), expectedGeneration: nil)
        let two = try await cache.store(unit("ada", uid: 1001), expectedGeneration: nil)
        #expect(one.account != two.account)
        #expect(try cache.accounts.list(uid: 1000).map(\.account) == [one.account])
        #expect(try cache.accounts.get(uid: 1001, id: one.account) == nil)
        #expect(
            try cache.refreshTokens.get(uid: 1001, account: one.account, client: "tasks", policy: "b2c_1_sign_in")
                == nil
        )
    }

    @Test("an account's tokens belong to its uid") func tokensOfAccount() async throws {
        let ada = try await cache.store(unit("ada"), expectedGeneration: nil).account
        try await cache.store(unit("bob"), expectedGeneration: nil)
        try await cache.store(unit("ada", uid: 1001), expectedGeneration: nil)
        #expect(try cache.tokens.list(uid: 1000, account: ada).map(\.account) == [ada])
        #expect(try cache.tokens.list(uid: 1001, account: ada).isEmpty)
        #expect(try cache.tokens.list(uid: 1000).count == 2)
        #expect(try cache.tokens.list(uid: 1001).count == 1)
        #expect(try cache.tokens.list(uid: 1002).isEmpty)
    }

    @Test("a sign-out of another uid's account removes and records nothing") func signOutElsewhere()
        async throws
    {
        let ada = try await cache.store(unit("ada"), expectedGeneration: nil).account
        let result = try await cache.signOuts.begin(uid: 1001, .accounts([ada]))
        #expect(result.tokens == 0)
        #expect(result.accounts == 0)
        #expect(result.ticket.targets.isEmpty)
        #expect(try cache.accounts.get(uid: 1000, id: ada) != nil)
        #expect(try cache.tokens.list(uid: 1000).count == 1)
        #expect(try cache.refreshTokens.get(uid: 1000, account: ada, client: "tasks", policy: "b2c_1_sign_in") != nil)
        #expect(try !cache.signOuts.isSignedOut(uid: 1000, account: ada, since: 0))
        _ = try await cache.signOuts.begin(uid: 1001, .all)
        #expect(try cache.tokens.list(uid: 1000).count == 1)
    }

    @Test("a sign-out of all accounts of a uid leaves every other uid's rows") func signOutOfOneUID() async throws {
        try await cache.store(unit("ada"), expectedGeneration: nil)
        let other = try await cache.store(unit("ada", uid: 1001), expectedGeneration: nil).account
        _ = try await cache.signOuts.begin(uid: 1000, .all)
        #expect(try cache.accounts.list(uid: 1001).map(\.account) == [other])
        #expect(try cache.tokens.list(uid: 1001).count == 1)
        #expect(try cache.refreshTokens.get(uid: 1001, account: other, client: "tasks", policy: "b2c_1_sign_in") != nil)
        #expect(try cache.signOuts.pending(uid: 1001).isEmpty)
    }

    @Test("a sign-out removes everything of the uid and leaves a ticket until it completes") func signOut() async throws
    {
        let account = try await cache.store(unit("ada"), expectedGeneration: 0)
        try await cache.store(unit("bob", uid: 1001), expectedGeneration: 0)
        let generation = cache.generation(uid: 1000)
        let result = try await cache.signOuts.begin(uid: 1000, .all)
        #expect(result.tokens == 1)
        #expect(result.accounts == 1)
        #expect(result.ticket.targets.map(\.subject) == ["ada"])
        #expect(cache.generation(uid: 1000) > generation)
        #expect(try cache.accounts.list(uid: 1000).isEmpty)
        #expect(try cache.tokens.find(query(nil)).isEmpty)
        #expect(
            try cache.refreshTokens.get(uid: 1000, account: account.account, client: "tasks", policy: "b2c_1_sign_in")
                == nil
        )
        #expect(try cache.accounts.list(uid: 1001).count == 1)
        #expect(try cache.signOuts.pending() == [result.ticket])
        try await cache.signOuts.completed(result.ticket)
        #expect(try cache.signOuts.pending().isEmpty)
    }

    @Test("a renewal that began before a sign-out restores no account") func renewal() async throws {
        try await cache.store(unit("ada"), expectedGeneration: 0)
        let before = try cache.signOuts.generation(uid: 1000)
        _ = try await cache.signOuts.begin(uid: 1000, .all)
        let error = await #expect(throws: StoreError.self) {
            try await cache.store(unit("ada"), expectedGeneration: before)
        }
        #expect(error?.code == .signedOut)
        #expect(try cache.accounts.list(uid: 1000).isEmpty)
        try await cache.store(unit("ada"), expectedGeneration: try cache.signOuts.generation(uid: 1000))
    }

    @Test("a sign-out of one account prevents no other account from being stored") func signOutOfOne() async throws {
        let ada = try await cache.store(unit("ada"), expectedGeneration: 0).account
        let before = try cache.signOuts.generation(uid: 1000)
        _ = try await cache.signOuts.begin(uid: 1000, .accounts([ada]))
        let bob = try await cache.store(unit("bob"), expectedGeneration: before).account
        #expect(await code { try await cache.store(unit("ada"), expectedGeneration: before) } == .signedOut)
        #expect(try cache.signOuts.isSignedOut(uid: 1000, account: ada, since: before))
        #expect(try !cache.signOuts.isSignedOut(uid: 1000, account: bob, since: before))
        _ = try await cache.signOuts.begin(uid: 1000, .all)
        #expect(try cache.signOuts.isSignedOut(uid: 1000, account: bob, since: before + 1))
        #expect(await code { try await cache.store(unit("eve"), expectedGeneration: before + 1) } == .signedOut)
    }

    @Test("a limited number of sign-outs is recorded; a write older than the dropped ones counts as signed out")
    func manySignOuts() async throws {
        let first = ["0", "1", "2"]
        for id in first { _ = try await cache.signOuts.begin(uid: 1000, .accounts([id])) }
        let more = (0..<TokenCache.SignOuts.perUID - 1).map { "account \($0)" }
        _ = try await cache.signOuts.begin(uid: 1000, .accounts(more))
        // The records of the two earliest sign-outs are dropped. Therefore, every write that began before the second
        // sign-out counts as signed out, whatever its account.
        #expect(try cache.signOuts.isSignedOut(uid: 1000, account: "another", since: 1))
        #expect(try !cache.signOuts.isSignedOut(uid: 1000, account: "another", since: 2))
        #expect(try cache.signOuts.isSignedOut(uid: 1000, account: "2", since: 2))
        #expect(try cache.signOuts.generation(uid: 1000) == 4)
        #expect(
            try cache.core.database.readInline { db in try db.number("/* test */ SELECT count(*) FROM sign_outs") }
                == 1_001
        )
    }

    @Test("the tokens of one user are deleted at every uid, and those in progress are not stored") func person()
        async throws
    {
        for uid in [1000, 1001] as [UInt32] { try await cache.store(unit("ada", uid: uid), expectedGeneration: nil) }
        try await cache.store(unit("bob"), expectedGeneration: nil)
        let before = try cache.signOuts.generation(uid: 1000)
        let generation = cache.generation(uid: 1001)
        #expect(try await cache.tokens.remove(authority: "other", subject: "ada") == 0)
        #expect(try await cache.tokens.remove(authority: "local", subject: "ada") == 2)
        #expect(try cache.tokens.list(uid: 1001).isEmpty)
        #expect(try cache.tokens.list(uid: 1000).map(\.username) == ["bob@example.org"])
        #expect(
            try cache.core.database.readInline { db in try db.number("/* test */ SELECT count(*) FROM refresh_tokens") }
                == 1
        )
        #expect(try cache.accounts.list(uid: 1000).count == 2)
        #expect(cache.generation(uid: 1001) > generation)
        #expect(await code { try await cache.store(unit("ada"), expectedGeneration: before) } == .signedOut)
        try await cache.store(unit("bob"), expectedGeneration: before)
    }

    /// Returns the code of the `StoreError` that `body` must throw.
    private func code(_ body: () async throws -> Void) async -> StoreError.Code? {
        await #expect(throws: StoreError.self) { try await body() }?.code
    }

    @Test("an account has a limited number of tokens; those that expire first are deleted first") func bound()
        async throws
    {
        var account = ""
        for index in 0..<TokenCache.Tokens.perAccount + 3 {
            let unit = unit("ada", resource: "api\(index)", life: .seconds(1000 + index))
            account = try await cache.store(unit, expectedGeneration: nil).account
        }
        let tokens = try cache.tokens.list(uid: 1000, account: account)
        #expect(tokens.count == TokenCache.Tokens.perAccount)
        #expect(tokens.last?.resource == "api3")
    }

    @Test("a second daemon is rejected with the process that has the cache") func second() throws {
        let error = #expect(throws: StoreError.self) { try TokenCache.open(Self.options(folder, clock)) }
        #expect(error?.code == .inUse)
        #expect(error?.message.contains("Process \(ProcessInfo.processInfo.processIdentifier)") == true)
    }

    @Test("a uid's entries are counted without decryption, and without expired ones") func counts() async throws {
        try await cache.store(unit("ada", life: .seconds(60), token: "short"), expectedGeneration: nil)
        try await cache.store(unit("ada", scopes: ["write"], token: "long"), expectedGeneration: nil)
        try await cache.store(unit("bob", uid: 1001), expectedGeneration: nil)
        // After this write, no encrypted row can be decrypted.
        try await cache.core.database.write { db in
            try db.run("/* test */ UPDATE accounts SET body = x'00'")
            try db.run("/* test */ UPDATE tokens SET body = x'00'")
        }
        #expect(try cache.counts(uid: 1000) == (1, 2))
        #expect(try cache.counts(uid: 1002) == (0, 0))
        clock.advance(by: .seconds(60))
        #expect(try cache.counts(uid: 1000) == (1, 1))
        clock.setWall(by: .seconds(3600))
        #expect(try cache.counts(uid: 1000) == (1, 0))
        clock.setWall(by: .seconds(-3600 - 7200))
        #expect(try cache.counts(uid: 1000) == (1, 1))
        clock.advance(by: .seconds(3600))
        #expect(try cache.counts(uid: 1000) == (1, 0))
    }

    @Test("a row that was swapped is treated as missing, and is set aside") func swapped() async throws {
        let ada = try await cache.store(unit("ada", token: "ada's"), expectedGeneration: nil)
        let bob = try await cache.store(unit("bob", token: "bob's"), expectedGeneration: nil)
        try await cache.core.database.write { db in
            try db.run(
                """
                UPDATE tokens SET body = (SELECT body FROM tokens WHERE account = :from) WHERE account = :to
                """,
                ["from": ada.account, "to": bob.account]
            )
        }
        #expect(try cache.tokens.find(query(bob.account)).isEmpty)
        #expect(try cache.tokens.find(query(ada.account)).map { $0.accessToken.reveal() } == ["ada's"])
        try await cache.sweep(limit: 10)
        #expect(
            try cache.core.database.readInline { db in try db.number("/* test */ SELECT count(*) FROM damaged") } == 1
        )
        #expect(
            try cache.core.database.readInline { db in try db.number("/* test */ SELECT count(*) FROM tokens") } == 1
        )
    }

    @Test("the files contain no readable secret and no readable name of a user") func sealed() async throws {
        try await cache.store(unit("ada"), expectedGeneration: nil)
        let folder = folder.path("state")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.contains("cache.sqlite"), "\(names)")
        #expect(try cache.tokens.list(uid: 1000).map(\.username) == ["ada@example.org"])
        for name in names {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
            for planted in ["planted", "ada", "Ada"] {
                #expect(bytes.range(of: Data(planted.utf8)) == nil, "\(planted) in \(name)")
            }
        }
    }

    @Test("no statement reads a whole table") func plans() async throws {
        let account = try await cache.store(unit("ada"), expectedGeneration: 0)
        try await cache.store(unit("ada"), expectedGeneration: 0)
        _ = try cache.tokens.find(query(account.account))
        _ = try cache.tokens.find(query(nil))
        _ = try cache.tokens.list(uid: 1000)
        _ = try cache.counts(uid: 1000)
        _ = try cache.tokens.list(uid: 1000, account: account.account)
        _ = try cache.refreshTokens.get(uid: 1000, account: account.account, client: "tasks", policy: "b2c_1_sign_in")
        _ = try cache.accounts.list(uid: 1000)
        _ = try cache.accounts.get(uid: 1000, id: account.account)
        _ = try await cache.accounts.makeDefault(uid: 1000, account: account.account)
        try await cache.accounts.noteUses([AccountUse(uid: 1000, account: account.account, at: clock.now.wall + 1)])
        #expect(try cache.accounts.list(uid: 1000).first?.lastUsed == clock.now.wall + 1)
        try await cache.tokens.removeAccessTokens(authority: "local", subject: "ada")
        _ = try cache.signOuts.isSignedOut(uid: 1000, account: account.account, since: 0)
        _ = try await cache.signOuts.begin(uid: 1000, .accounts([account.account]))
        try await cache.tokens.remove(authority: "local", subject: "ada")
        let ticket = try await cache.signOuts.begin(uid: 1000, .all).ticket
        _ = try cache.signOuts.pending()
        _ = try cache.signOuts.pending(uid: 1000)
        try await cache.signOuts.completed(ticket)
        try await cache.sweep(limit: 10)
        let plans = try #require(StatementPlans.current)
        #expect(plans.statements.count > 20)
        #expect(try await cache.check().isEmpty)
    }
}
