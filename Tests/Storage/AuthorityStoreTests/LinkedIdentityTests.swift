import DurableSQLite
import FlowModel
import Foundation
import Moments
import OAuth
import Storage
import TestSupport
import Testing

@testable import AuthorityStore

/// Tests how an existing user links and unlinks identities.
@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct LinkedIdentityTests {
    private static let elsewhere = Owner.local(machine: "m", uid: 4711)
    private let ways = SignInMethods(providers: ["a", "b"], byCode: false)

    private func identity(_ subject: String, at provider: String = "a") -> FederatedIdentity {
        FederatedIdentity(issuer: "https://\(provider).example", subject: subject, provider: provider)
    }

    /// Creates a user who can sign in only with identities at these providers.
    private func federated(_ fixture: StoreFixture, _ oid: String, at providers: [String]) async throws -> UserID {
        let user = UserRecord(id: UserID(oid: oid), signInNames: [], createdAt: fixture.clock.now.wall)
        try await fixture.store.users.add(user)
        for provider in providers { try await link(fixture, identity(oid, at: provider), to: user.id) }
        return user.id
    }

    private func link(
        _ fixture: StoreFixture,
        _ identity: FederatedIdentity,
        to user: UserID,
        onlyOne: Bool = true
    ) async throws {
        let (store, now) = (fixture.store, fixture.clock.now)
        try await store.core.database.write { db in
            try AuthorityStore.Identities(core: store.core)
                .insert(db, identity, of: user, onlyOne: onlyOne, at: now)
        }
    }

    private func code(_ body: () async throws -> Void) async -> StoreError.Code? {
        do {
            try await body()
            return nil
        } catch { return (error as? StoreError)?.code }
    }

    @Test("a second identity at a provider, or one of another user, is rejected in the same statement")
    func once() async throws {
        let fixture = try StoreFixture()
        let (ann, bea) = (fixture.user("a", "ann@example.org"), fixture.user("b", "bea@example.org"))
        for user in [ann, bea] { try await fixture.store.users.add(user) }
        try await link(fixture, identity("1"), to: ann.id)
        #expect(await code { try await link(fixture, identity("2"), to: ann.id) } == .nameTaken)
        #expect(await code { try await link(fixture, identity("1"), to: bea.id) } == .nameTaken)
        try await link(fixture, identity("1", at: "b"), to: ann.id)
        try await link(fixture, identity("2"), to: bea.id)
        #expect(try await fixture.store.identities.list(of: ann.id).map(\.provider) == ["a", "b"])
        #expect(try await fixture.store.identities.list(of: bea.id).map(\.provider) == ["a"])
    }

    @Test("of two users who link one identity at once, one gets it") func race() async throws {
        let fixture = try StoreFixture()
        let people = [fixture.user("a", "ann@example.org"), fixture.user("b", "bea@example.org")]
        for user in people { try await fixture.store.users.add(user) }
        async let (first, second) = (
            code { try await link(fixture, identity("1"), to: people[0].id) },
            code { try await link(fixture, identity("1"), to: people[1].id) }
        )
        #expect([await first, await second].compactMap { $0 } == [.nameTaken])
    }

    @Test("the only way to sign in cannot be removed: a password, a code to a name, or another usable provider counts")
    func lastWayIn() async throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        let alone = try await federated(fixture, "1", at: ["a"])
        #expect(
            await code { try await store.identities.remove(at: "a", of: alone, ways: ways, events: []) } == .consumed
        )
        #expect(try await store.identities.list(of: alone).count == 1)
        let both = try await federated(fixture, "2", at: ["a", "b"])
        let less = SignInMethods(providers: ["a"], byCode: true)
        #expect(
            await code { try await store.identities.remove(at: "a", of: both, ways: less, events: []) } == .consumed
        )
        try await store.identities.remove(at: "a", of: both, ways: ways, events: [fixture.event(.credentialRemoved)])
        #expect(try await store.audit.all(since: 0, limit: 10).last?.event == "credential.removed")
        #expect(
            await code { try await store.identities.remove(at: "b", of: both, ways: ways, events: []) } == .consumed
        )
        let ann = fixture.user("a", "ann@example.org")
        try await store.users.add(ann)
        try await link(fixture, identity("3"), to: ann.id)
        try await store.identities.remove(at: "a", of: ann.id, ways: ways, events: [])
        #expect(
            await code { try await store.identities.remove(at: "a", of: ann.id, ways: ways, events: []) } == .notFound
        )
        let named = UserRecord(
            id: UserID(oid: "n"),
            signInNames: [SignInName(.email, "n@example.org")],
            createdAt: fixture.clock.now.wall
        )
        try await store.users.add(named)
        try await link(fixture, identity("4"), to: named.id)
        #expect(
            await code { try await store.identities.remove(at: "a", of: named.id, ways: ways, events: []) }
                == .consumed
        )
        let byCode = SignInMethods(providers: [], byCode: true)
        try await store.identities.remove(at: "a", of: named.id, ways: byCode, events: [])
    }

    @Test(
        "unlinking a provider ends the sessions, families and flows that began with it, of every owner, and no others"
    )
    func ending() async throws {
        let fixture = try StoreFixture()
        let (store, ann) = (fixture.store, fixture.user("a", "ann@example.org"))
        try await store.users.add(ann)
        try await link(fixture, identity("1"), to: ann.id)
        let proof = Proof(check: "a", credential: .federated, at: 1, acr: "1", amr: ["fed"])
        let federated = Authentication(user: ann.id, proofs: [proof])
        for (owner, name) in [(StoreFixture.owner, "here"), (Self.elsewhere, "there")] {
            let session = fixture.session("by a \(name)", ann.id, owner: owner)
            let family = fixture.family("by a \(name)", ann.id, owner: owner)
            let rows = (
                SessionRow(
                    id: session.id,
                    owner: owner,
                    user: ann.id,
                    proofs: [proof],
                    policy: session.policy,
                    client: session.client,
                    scope: session.scope,
                    createdAt: session.createdAt,
                    ends: session.ends,
                    absoluteEnd: session.absoluteEnd
                ),
                FamilyRow(
                    id: family.id,
                    owner: owner,
                    user: ann.id,
                    client: family.client,
                    policy: family.policy,
                    scopes: family.scopes,
                    secret: Secret("another family's secret \(name)"),
                    authentication: federated,
                    createdAt: family.createdAt,
                    expires: family.expires,
                    windowEnds: family.windowEnds,
                    sessionID: nil
                )
            )
            let now = fixture.clock.now
            let others = (
                fixture.session("by password \(name)", ann.id, owner: owner),
                fixture.family("by password \(name)", ann.id, owner: owner)
            )
            try await store.core.database.write { db in
                let (sessions, families) = (
                    AuthorityStore.Sessions(core: store.core), AuthorityStore.Families(core: store.core)
                )
                for session in [rows.0, others.0] { try sessions.upsert(db, session) }
                for family in [rows.1, others.1] {
                    try families.insert(db, family, correlation: .random(), at: now)
                }
            }
        }
        _ = try await store.flows.open(fixture.flow("open", user: ann.id))
        try await store.identities.remove(at: "a", of: ann.id, ways: ways, events: [])
        for owner in [StoreFixture.owner, Self.elsewhere] {
            let live = try await store.sessions.live(owner: owner)
            #expect(live.allSatisfy { $0.id.hasPrefix("by password") } && live.count == 1)
        }
        let families = try await store.users.account(of: ann.id).families.map(\.id)
        #expect(Set(families) == ["by password here", "by password there"])
        #expect(try await store.flows.list(owner: StoreFixture.owner).isEmpty)
    }
}
