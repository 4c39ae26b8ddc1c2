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
    @Test("an identity is found by issuer and subject, belongs to one user, and is deleted with the user")
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
        let error = await #expect(throws: StoreError.self) {
            try await store.core.database.write { db in
                try AuthorityStore.Identities(core: store.core).insert(db, identity, of: UserID(oid: "b"), at: now)
            }
        }
        #expect(error?.code == .nameTaken)
        try await store.users.delete(user.id)
        #expect(try await store.identities.user(issuer: "https://a.example", subject: "1") == nil)
    }

    @Test("of two flows that end with the same new identity one creates an account, and the other nothing")
    func twoAtOnce() async throws {
        let fixture = try StoreFixture()
        let (store, identity) = (
            fixture.store, FederatedIdentity(issuer: "https://a.example", subject: "1", provider: "a")
        )
        for id in ["f", "g"] { _ = try await store.flows.open(fixture.flow(id)) }
        /// Ends a flow that creates an account for the identity, and returns the error, or `nil` if there is none.
        @Sendable func finish(_ id: String) async -> StoreError? {
            let user = fixture.user("user of \(id)")
            let finish = FlowCommit(
                flow: fixture.flow(id, rev: 2, isOpen: false, user: user.id),
                expectedRev: 1,
                authentication: fixture.authentication(user.id),
                changes: [.createUser(user, needsInvitation: false), .link(identity, isOnlyOne: false)],
                session: fixture.session("session of \(id)", user.id)
            )
            do throws(StoreError) {
                try await store.flows.commit(finish)
                return nil
            } catch {
                return error
            }
        }
        async let (first, second) = (finish("f"), finish("g"))
        let errors = [await first, await second].compactMap { $0?.code }
        #expect(errors == [.nameTaken])
        let user = try #require(try await store.identities.user(issuer: "https://a.example", subject: "1"))
        let sessions = try await store.sessions.live(owner: StoreFixture.owner)
        #expect(sessions.map(\.user) == [user.id])
        let people = [
            try await store.users.get(UserID(oid: "user of f")), try await store.users.get(UserID(oid: "user of g")),
        ]
        #expect(people.compactMap { $0?.id } == [user.id])
    }

    @Test("a departure is accepted once, from its browser, before it expires") func departure() async throws {
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
