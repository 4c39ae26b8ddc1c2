import Foundation
import GRDB
import OAuth
import Storage
import TestSupport
import Testing

@testable import TokenCache

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct OwnAuthoritiesTests {
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

    private func row(_ name: String = "mine") -> OwnAuthorityRow {
        OwnAuthorityRow(
            name: name,
            displayName: "Mine",
            issuer: "https://login.example",
            preset: nil,
            clientID: "client",
            clientSecret: Secret("a-secret-of-the-client"),
            scopes: ["openid"],
            additionalScopes: [],
            parameters: ["a": "b"],
            origins: ["https://files.example"]
        )
    }

    @Test("an authority belongs to its uid, and survives an encoding round trip") func owners() async throws {
        #expect(try await cache.ownAuthorities.add(uid: 1000, row()))
        #expect(try await !cache.ownAuthorities.add(uid: 1000, row()))
        #expect(try cache.ownAuthorities.get(uid: 1000, name: "mine") == row())
        #expect(try cache.ownAuthorities.get(uid: 1001, name: "mine") == nil)
        #expect(try cache.ownAuthorities.list(uid: 1001) == [])
        #expect(try await !cache.ownAuthorities.remove(uid: 1001, name: "mine"))
        #expect(try await cache.ownAuthorities.remove(uid: 1000, name: "mine"))
        #expect(try cache.ownAuthorities.list(uid: 1000) == [])
    }

    @Test("a uid has at most 16 authorities, and their secrets are not readable in the file") func bounds() async throws
    {
        for number in 0..<TokenCache.OwnAuthorities.perUID {
            _ = try await cache.ownAuthorities.add(uid: 1000, row("a\(number)"))
        }
        let error = await #expect(throws: StoreError.self) {
            try await cache.ownAuthorities.add(uid: 1000, row("more"))
        }
        #expect(error?.code == .limitExceeded)
        #expect(try await cache.ownAuthorities.add(uid: 1001, row("more")))
        for file in ["cache.sqlite", "cache.sqlite-wal"] {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path("state/\(file)")))
            #expect(bytes.range(of: Data("a-secret-of-the-client".utf8)) == nil)
        }
    }

    @Test("a lock seals the authorities' secrets again; signing out all accounts of a locked cache deletes them")
    func locked()
        async throws
    {
        _ = try await cache.ownAuthorities.add(uid: 1000, row())
        _ = try await cache.signOuts.begin(uid: 1000, .all)
        #expect(try cache.ownAuthorities.list(uid: 1000).count == 1)
        let wrapping = Secret(bytes: [UInt8](repeating: 7, count: 32))
        try await cache.vaults.lock(uid: 1000, recipe: Data("recipe".utf8), wrapping: wrapping)
        let error = #expect(throws: StoreError.self) { try cache.ownAuthorities.list(uid: 1000) }
        #expect(error?.code == .locked)
        let door = try #require(try cache.vaults.door(uid: 1000))
        #expect(try await cache.vaults.unlock(door, wrapping: wrapping) != nil)
        #expect(try cache.ownAuthorities.list(uid: 1000) == [row()])
        try await cache.vaults.lock(uid: 1000, recipe: Data("recipe".utf8), wrapping: wrapping)
        _ = try await cache.signOuts.begin(uid: 1000, .all)
        #expect(try cache.ownAuthorities.list(uid: 1000) == [])
    }
}
