import Foundation
import Moments
import OAuth
import Storage
import TestSupport
import Testing

@testable import TokenCache

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct RotatedTokensTests {
    private let folder: TemporaryFolder
    private let cache: TokenCache
    private let time = TestClock()

    init() throws {
        folder = try TemporaryFolder()
        cache = try TokenCache.open(
            TokenCache.Options(
                directory: folder.path("state"),
                key: Secret(bytes: [UInt8](repeating: 1, count: 32)),
                clock: time.clock
            )
        )
    }

    private func before(_ token: String = "old-token", uid: UInt32 = 1000, client: String = "c") -> RotatedToken {
        RotatedToken(uid: uid, issuer: "https://login.example", clientID: client, token: Secret(token))
    }

    @Test("the successor of a token belongs to its uid, issuer and client, and the newest one counts") func owners()
        async throws
    {
        try await cache.rotatedTokens.keep(Secret("new-token-1"), of: before())
        try await cache.rotatedTokens.keep(Secret("new-token-2"), of: before())
        #expect(try cache.rotatedTokens.successor(of: before()) == Secret("new-token-2"))
        for other in [before(uid: 1001), before(client: "d"), before("another")] {
            #expect(try cache.rotatedTokens.successor(of: other) == nil)
        }
        for file in ["cache.sqlite", "cache.sqlite-wal"] {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path("state/\(file)")))
            for planted in ["old-token", "new-token"] { #expect(bytes.range(of: Data(planted.utf8)) == nil) }
        }
        try await cache.rotatedTokens.remove(before())
        #expect(try cache.rotatedTokens.successor(of: before()) == nil)
    }

    @Test("a uid has at most 16 rotated tokens, the oldest is replaced, and each expires separately") func bounds()
        async throws
    {
        try await cache.rotatedTokens.keep(Secret("theirs"), of: before(uid: 1001))
        for number in 0...TokenCache.RotatedTokens.perUID {
            time.advance(by: .seconds(1))
            try await cache.rotatedTokens.keep(Secret("new"), of: before("old-\(number)"))
        }
        #expect(try cache.rotatedTokens.successor(of: before("old-0")) == nil)
        #expect(try cache.rotatedTokens.successor(of: before("old-1")) != nil)
        #expect(try cache.rotatedTokens.successor(of: before(uid: 1001)) == Secret("theirs"))
        time.advance(by: TokenCache.RotatedTokens.life)
        #expect(try await cache.sweep(limit: 100) == Int(TokenCache.RotatedTokens.perUID) + 1)
    }

    @Test("a lock seals rotated tokens again, and signing out all accounts deletes them") func locked() async throws {
        try await cache.rotatedTokens.keep(Secret("new"), of: before())
        let wrapping = Secret(bytes: [UInt8](repeating: 7, count: 32))
        try await cache.vaults.lock(uid: 1000, recipe: Data("recipe".utf8), wrapping: wrapping)
        let error = #expect(throws: StoreError.self) { try cache.rotatedTokens.successor(of: before()) }
        #expect(error?.code == .locked)
        let door = try #require(try cache.vaults.door(uid: 1000))
        #expect(try await cache.vaults.unlock(door, wrapping: wrapping) != nil)
        #expect(try cache.rotatedTokens.successor(of: before()) == Secret("new"))
        _ = try await cache.signOuts.begin(uid: 1000, .all)
        #expect(try cache.rotatedTokens.successor(of: before()) == nil)
    }
}
