import DurableSQLite
import FlowModel
import Foundation
import GRDB
import Moments
import OAuth
import Storage
import TestSupport
import Testing

@testable import AuthorityStore

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct SpentIDsTests {
    @Test("an id is used up once, across all stores of one database") func once() async throws {
        let fixture = try StoreFixture()
        let second = try AuthorityStore.open(StoreFixture.options(fixture.folder, fixture.clock))
        let ends = fixture.clock.now.seconds + 60
        let first = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<12 {
                let store = number.isMultiple(of: 2) ? second : fixture.store
                group.addTask { try await store.spentIDs.spend("client", "jti", of: .assertion, by: "a", until: ends) }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(first == 1)
        #expect(try await second.spentIDs.isSpent("client", "jti", of: .assertion))
    }

    @Test("equal ids of other clients and kinds are independent") func others() async throws {
        let fixture = try StoreFixture()
        let ends = fixture.clock.now.seconds + 60
        #expect(try await fixture.store.spentIDs.spend("a", "bc", of: .assertion, by: "a", until: ends))
        #expect(try await fixture.store.spentIDs.spend("ab", "c", of: .assertion, by: "ab", until: ends))
        #expect(try await !fixture.store.spentIDs.isSpent("a", "bc", of: .accessToken))
    }

    @Test("an id is deleted two minutes after its object has expired") func sweep() async throws {
        let fixture = try StoreFixture()
        _ = try await fixture.store.spentIDs.spend(
            "a",
            of: .accessToken,
            by: "a",
            until: fixture.clock.now.seconds + 60
        )
        fixture.clock.advance(by: .seconds(179))
        #expect(try await fixture.store.spentIDs.sweep(limit: 10) == 0)
        fixture.clock.advance(by: .seconds(1))
        #expect(try await fixture.store.spentIDs.sweep(limit: 10) == 1)
    }

    @Test("the number of ids per client is limited, and leaves room for others") func share() async throws {
        let fixture = try StoreFixture()
        let spent = fixture.store.spentIDs
        let ends = fixture.clock.now.seconds + 60
        try await fixture.store.core.database.write { db in
            try db.run(
                """
                /* test */ WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :most)
                INSERT INTO spent_ids (id, client, ends) SELECT 'id ' || i, 'a', :ends FROM n
                """,
                ["most": AuthorityStore.SpentIDs.perClient, "ends": ends]
            )
        }
        let error = await #expect(throws: StoreError.self) {
            try await spent.spend("one more", of: .assertion, by: "a", until: ends)
        }
        #expect(error?.code == .limitExceeded)
        #expect(try await spent.spend("one more", of: .assertion, by: "b", until: ends))
        fixture.clock.advance(by: .seconds(180))
        #expect(try await spent.sweep(limit: 1) == 1)
        #expect(try await spent.spend("later", of: .assertion, by: "a", until: ends + 300))
    }
}
