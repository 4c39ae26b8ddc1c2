import DurableSQLite
import FlowModel
import Foundation
import Moments
import OAuth
import Storage
import TestSupport
import Testing

@testable import AuthorityStore

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct IdentitiesTests {
    @Test("an identity is found by issuer and subject, belongs to one person, and goes with the person")
    func identity() async throws {
        let fixture = try StoreFixture()
        let (store, user) = (fixture.store, fixture.user("a", "ann@example.org"))
        try await store.users.add(user)
        let identity = FederatedIdentity(issuer: "https://a.example", subject: "1", provider: "a")
        let now = fixture.clock.now
        try await store.core.database.write { db in
            try AuthorityStore.Identities(core: store.core).insert(db, identity, of: user.id, at: now)
        }
        #expect(try await store.identities.user(issuer: "https://a.example", subject: "1")?.id == user.id)
        #expect(try await store.identities.user(issuer: "https://b.example", subject: "1") == nil)
        #expect(try await store.identities.user(issuer: "https://a.example", subject: "2") == nil)
        await #expect(throws: StoreError.self) {
            try await store.core.database.write { db in
                try AuthorityStore.Identities(core: store.core).insert(db, identity, of: UserID(oid: "b"), at: now)
            }
        }
        try await store.users.delete(user.id)
        #expect(try await store.identities.user(issuer: "https://a.example", subject: "1") == nil)
    }

    @Test("a departure is taken once, by its browser, in its time") func departure() async throws {
        let fixture = try StoreFixture()
        let departures = fixture.store.departures
        let body = Data("body".utf8)
        let end = Deadline(.seconds(600), after: fixture.clock.now)
        try await departures.insert("s1", browser: "b1", body: body, expires: end)
        try await departures.insert("s2", browser: "b1", body: body, expires: end)
        #expect(try await departures.take("s1", browser: "b2") == nil)
        #expect(try await departures.take("s1", browser: "b1") == body)
        #expect(try await departures.take("s1", browser: "b1") == nil)
        fixture.clock.advance(by: .seconds(601))
        #expect(try await departures.take("s2", browser: "b1") == nil)
        #expect(try await departures.sweep(limit: 10) == 1)
    }
}
