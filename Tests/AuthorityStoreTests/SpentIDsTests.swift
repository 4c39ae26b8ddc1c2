import FlowModel
import Foundation
import Moments
import OAuth
import Storage
import TestSupport
import Testing

@testable import AuthorityStore

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct SpentIDsTests {
    @Test("an id is used up once, at all stores of one database together") func once() async throws {
        let fixture = try StoreFixture()
        let second = try AuthorityStore.open(StoreFixture.options(fixture.folder, fixture.clock))
        let ends = fixture.clock.now.seconds + 60
        let first = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<12 {
                let store = number.isMultiple(of: 2) ? second : fixture.store
                group.addTask { try await store.spentIDs.spend("client", "jti", of: .assertion, until: ends) }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(first == 1)
        #expect(try await second.spentIDs.isSpent("client", "jti", of: .assertion))
    }

    @Test("ids of other clients and other things are others") func others() async throws {
        let fixture = try StoreFixture()
        let ends = fixture.clock.now.seconds + 60
        #expect(try await fixture.store.spentIDs.spend("a", "bc", of: .assertion, until: ends))
        #expect(try await fixture.store.spentIDs.spend("ab", "c", of: .assertion, until: ends))
        #expect(try await !fixture.store.spentIDs.isSpent("a", "bc", of: .accessToken))
    }

    @Test("an id is forgotten two minutes after the thing that it names has ended") func sweep() async throws {
        let fixture = try StoreFixture()
        _ = try await fixture.store.spentIDs.spend("a", of: .accessToken, until: fixture.clock.now.seconds + 60)
        fixture.clock.advance(by: .seconds(179))
        #expect(try await fixture.store.spentIDs.sweep(limit: 10) == 0)
        fixture.clock.advance(by: .seconds(1))
        #expect(try await fixture.store.spentIDs.sweep(limit: 10) == 1)
    }
}
