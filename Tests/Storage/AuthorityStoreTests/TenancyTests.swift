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

/// Tests two tenants that share one database.
@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct TenancyTests {
    /// The kinds of objects that are bound to a tenant.
    private static let all: Set = [
        "request", "session", "remembered", "family", "listed family", "code", "device code", "user code", "ticket",
        "pushed request",
    ]

    /// Creates an object of every kind that is bound to a tenant.
    private func fill(_ fixture: StoreFixture) async throws {
        let (store, ada) = (fixture.store, fixture.user("u", "a@example.org"))
        try await fixture.signedIn(ada)
        for product in [TokenIssue.Product.family(fixture.family("fam", ada.id)), .code(fixture.code("c", ada.id))] {
            try await store.grants.issue(
                TokenIssue(
                    source: .session(id: "s", prolongedUntil: nil),
                    owner: StoreFixture.owner,
                    user: ada.id,
                    expectedEpoch: try await store.epoch(),
                    product: product
                )
            )
        }
        var remembered = FlowCommit(
            flow: fixture.flow("g", rev: 2, isOpen: false, user: ada.id),
            expectedRev: 1,
            authentication: fixture.authentication(ada.id),
            session: fixture.session("s", ada.id)
        )
        remembered.changes = [.remember(fixture.authentication(ada.id).proofs[0], life: .seconds(3600))]
        _ = try await store.flows.open(fixture.flow("g"))
        try await store.flows.commit(remembered)
        try await store.deviceCodes.add(fixture.device("d"), userCode: "BBBBBBBB", share: .client)
        try await store.tickets.insert(
            TicketRow(
                hash: "t",
                owner: StoreFixture.owner,
                browser: "b",
                body: Data("{}".utf8),
                expires: Deadline(.seconds(60), after: fixture.clock.now)
            )
        )
        try await store.pushedRequests.add(
            PushedRequestRow(
                hash: "p",
                client: "tasks",
                policy: "b2c_1_sign_in",
                body: Data("{}".utf8),
                expires: Deadline(.seconds(60), after: fixture.clock.now)
            ),
            share: .client
        )
    }

    /// Returns the kinds of objects that a store accepts.
    ///
    /// The check uses up the pushed request.
    private func taken(_ store: AuthorityStore) async throws -> Set<String> {
        let owner = StoreFixture.owner
        var taken: Set<String> = []
        do throws(StoreError) {
            _ = try await store.requests.peek("r", owner: owner)
            taken.insert("request")
        } catch {
            guard error.code == .notFound else { throw error }
        }
        if try await !store.sessions.live(owner: owner).isEmpty { taken.insert("session") }
        if try await !store.remembered.live(owner: owner).isEmpty { taken.insert("remembered") }
        if try await store.families.get("fam") != nil { taken.insert("family") }
        if try await !store.families.list(owner: owner).isEmpty { taken.insert("listed family") }
        if try await store.codes.get("c") != nil { taken.insert("code") }
        let poll = try await store.deviceCodes.poll(
            "d",
            client: "tasks",
            policy: "b2c_1_sign_in",
            correlationID: .random()
        )
        if poll != .unknown { taken.insert("device code") }
        if try await store.deviceCodes.find(userCode: "BBBBBBBB") != nil { taken.insert("user code") }
        if try await store.tickets.get("t") != nil { taken.insert("ticket") }
        if try await store.pushedRequests.take("p", client: "tasks", policy: "b2c_1_sign_in") != nil {
            taken.insert("pushed request")
        }
        return taken
    }

    @Test("objects of one tenant do not exist for another, and stay valid at their own") func bound() async throws {
        let fixture = try StoreFixture(tenant: "a")
        try await fill(fixture)
        let other = try AuthorityStore.open(StoreFixture.options(fixture.folder, fixture.clock, tenant: "b"))
        #expect(try await taken(other) == [])
        let use = await #expect(throws: StoreError.self) {
            try await other.grants.issue(
                TokenIssue(
                    source: .session(id: "s", prolongedUntil: nil),
                    owner: StoreFixture.owner,
                    user: UserID(oid: "u"),
                    expectedEpoch: try await other.epoch(),
                    product: nil
                )
            )
        }
        #expect(use?.code == .notFound)
        #expect(try await taken(fixture.store) == Self.all)
    }

    /// Signs a user in to a client that uses back-channel logout, and then ends the session.
    private func signOut(_ fixture: StoreFixture) async throws {
        let ada = fixture.user("u", "a@example.org")
        try await fixture.signedIn(ada)
        try await fixture.store.core.database.write { db in
            try AuthorityStore.Logouts.note(db, session: "s", client: "web", policy: "b2c_1_sign_in")
            _ = try db.run("DELETE FROM sessions WHERE id = :id", ["id": "s"])
        }
    }

    @Test("a sign-out is reported by the tenant of the session, and no other tenant takes or delays it")
    func signOuts() async throws {
        let fixture = try StoreFixture(tenant: "a")
        try await signOut(fixture)
        let other = try AuthorityStore.open(StoreFixture.options(fixture.folder, fixture.clock, tenant: "b"))
        #expect(try await other.logouts.take(limit: 10, lease: .seconds(60)).isEmpty)
        try await other.logouts.postpone(client: "web", until: Deadline(.seconds(3600), after: fixture.clock.now))
        let taken = try await fixture.store.logouts.take(limit: 10, lease: .seconds(60))
        #expect(taken.map(\.client) == ["web"] && taken.map(\.user.oid) == ["u"])
    }
}
