import DurableSQLite
import FlowModel
import Moments
import OAuth
import Storage
import TestSupport
import Testing

@testable import AuthorityStore

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct AuthenticatorsTests {
    private let ada = UserID(oid: "ada")

    private func add(_ fixture: StoreFixture, to user: UserID, step: Int64 = 10) async throws {
        let authenticators = fixture.store.authenticators
        let now = fixture.clock.now.wall
        try await fixture.store.core.database.write { db in
            try authenticators.add(
                db,
                Authenticator(user: user, key: Secret("key of \(user.oid)"), step: step, enrolledAt: now),
                recoveryCodes: [Secret("AAAAAAAAAA"), Secret("BBBBBBBBBB")]
            )
        }
    }

    /// Uses the code of a time step in a separate transaction, and returns whether the code is accepted.
    private func take(step: Int64, of found: Authenticator, _ fixture: StoreFixture) async throws -> Bool {
        try await fixture.store.core.database.write { db in
            try AuthorityStore.Authenticators.take(db, step: step, of: found)
        }
    }

    private func use(_ code: String, of user: UserID, _ fixture: StoreFixture) async throws -> Bool {
        let authenticators = fixture.store.authenticators
        let isThere = try await authenticators.has(recoveryCode: Secret(code), of: user)
        let isUsed = try await fixture.store.core.database.write { db in
            try authenticators.use(db, recoveryCode: Secret(code), of: user)
        }
        #expect(isThere == isUsed)
        return isUsed
    }

    @Test("the code of a time step is accepted once, and then none of an earlier step") func once() async throws {
        let fixture = try StoreFixture()
        try await add(fixture, to: ada)
        let authenticators = fixture.store.authenticators
        let found = try #require(try await authenticators.find(ada))
        #expect(found.key == Secret("key of ada"))
        #expect(try await !take(step: 10, of: found, fixture))
        #expect(try await take(step: 11, of: found, fixture))
        #expect(try await !take(step: 11, of: found, fixture))
        #expect(try await !take(step: 9, of: found, fixture))
    }

    @Test("of many simultaneous uses one is accepted") func race() async throws {
        let fixture = try StoreFixture()
        try await add(fixture, to: ada)
        let authenticators = fixture.store.authenticators
        let found = try #require(try await authenticators.find(ada))
        let taken = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 { group.addTask { try await take(step: 11, of: found, fixture) } }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(taken == 1)
    }

    @Test("a recovery code is accepted once, for its user only") func recovery() async throws {
        let fixture = try StoreFixture()
        try await add(fixture, to: ada)
        try await add(fixture, to: UserID(oid: "bob"))
        #expect(try await !use("CCCCCCCCCC", of: ada, fixture))
        #expect(try await use("AAAAAAAAAA", of: ada, fixture))
        #expect(try await !use("AAAAAAAAAA", of: ada, fixture))
        #expect(try await use("AAAAAAAAAA", of: UserID(oid: "bob"), fixture))
    }

    @Test("credentials are listed at the owner where they are valid, and each is removed by its own kind")
    func listed() async throws {
        let fixture = try StoreFixture()
        let (core, at) = (fixture.store.core, fixture.clock.now.wall)
        let pin = Enrolment(.pin, of: ada, at: StoreFixture.owner, secret: Secret("a PIN"), enrolledAt: at)
        try await core.database.write { db in try AuthorityStore.Enrolments(core: core).set(db, pin) }
        try await add(fixture, to: ada)
        func listed(_ owner: Owner) async throws -> [Credential] {
            try await fixture.store.enrolled(of: ada, at: owner).map(\.credential)
        }
        func remove(_ credential: Credential, _ owner: Owner) async throws {
            try await core.database.write { [ada] db in
                for table in AuthorityStore.credentialTables {
                    try table.init(core: core).remove(db, credential, of: ada, at: owner)
                }
            }
        }
        #expect(try await listed(StoreFixture.owner) == [.pin, .totp])
        #expect(try await listed(StoreFixture.other) == [.totp])
        try await remove(.pin, StoreFixture.other)
        #expect(try await listed(StoreFixture.owner) == [.pin, .totp])
        try await remove(.totp, StoreFixture.other)
        #expect(try await listed(StoreFixture.owner) == [.pin])
        #expect(try await !use("AAAAAAAAAA", of: ada, fixture))
        try await remove(.pin, StoreFixture.owner)
        #expect(try await listed(StoreFixture.owner).isEmpty)
    }

    @Test("no second authenticator is added to an existing one, and a deleted user leaves none") func one() async throws
    {
        let fixture = try StoreFixture()
        try await fixture.store.users.add(fixture.user("ada", "ada@example.org"))
        try await add(fixture, to: ada)
        let refused = await #expect(throws: StoreError.self) { try await add(fixture, to: ada) }
        #expect(refused?.code == .consumed)
        try await fixture.store.users.delete(ada)
        #expect(try await fixture.store.authenticators.find(ada) == nil)
        #expect(try await !use("AAAAAAAAAA", of: ada, fixture))
    }
}
