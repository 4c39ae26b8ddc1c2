import FlowModel
import Moments
import OAuth
import Storage
import TestSupport
import Testing

@testable import AuthorityStore

/// Tests remembered checks, which are stored separately for each check and session scope.
@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct RememberedProofsTests {
    private let fixture: StoreFixture
    private let ada: UserRecord

    init() throws {
        fixture = try StoreFixture()
        ada = fixture.user("ada", "ada@example.org")
    }

    /// Commits a sign-in to a session with this scope.
    ///
    /// The sign-in remembers the check if `remembers` is true, and otherwise forgets the remembered password checks.
    private func signIn(
        _ check: String = "UserLogin",
        scope: SessionScope,
        client: String = "tasks",
        policy: String = "b2c_1_sign_in",
        remembers: Bool
    ) async throws {
        let (id, now) = ("\(check) \(scope) \(client) \(policy) \(remembers)", fixture.clock.now)
        let proof = Proof(check: check, credential: .password, at: now.wall, acr: "1", amr: ["pwd"])
        _ = try await fixture.store.flows.open(fixture.flow(id))
        var finish = FlowCommit(
            flow: fixture.flow(id, rev: 2, isOpen: false, user: ada.id),
            expectedRev: 1,
            authentication: Authentication(user: ada.id, proofs: [proof]),
            session: SessionRow(
                id: id,
                owner: StoreFixture.owner,
                user: ada.id,
                proofs: [proof],
                policy: policy,
                client: client,
                scope: scope,
                createdAt: now.wall,
                ends: Deadline(.seconds(3600), after: now),
                absoluteEnd: Deadline(.seconds(7200), after: now)
            )
        )
        if remembers {
            finish.changes = [.remember(proof, life: .seconds(86_400))]
        } else {
            finish.changes = [.forget(.password)]
        }
        try await fixture.store.flows.commit(finish)
    }

    /// Returns the user's remembered checks, each converted to text by `word`.
    private func kept(_ word: (RememberedProof) -> String) async throws -> Set<String> {
        Set(try await fixture.store.remembered.live(owner: StoreFixture.owner).map(word))
    }

    @Test("a remembered check for one client or policy replaces no other, except one of the same reach") func reaches()
        async throws
    {
        try await fixture.store.users.add(ada, events: [])
        try await signIn(scope: .tenant, remembers: true)
        try await signIn(scope: .application, client: "tasks", remembers: true)
        try await signIn(scope: .application, client: "other", remembers: true)
        try await signIn(scope: .policy, policy: "b2c_1_x", remembers: true)
        let all = try await kept { "\($0.scope) \($0.client) \($0.policy)" }
        #expect(
            all == [
                "tenant tasks b2c_1_sign_in", "application tasks b2c_1_sign_in", "application other b2c_1_sign_in",
                "policy tasks b2c_1_x",
            ]
        )
        try await signIn(scope: .tenant, client: "other", remembers: true)
        #expect(try await kept { "\($0.scope) \($0.client)" }.contains("tenant other"))
        #expect(try await fixture.store.remembered.live(owner: StoreFixture.owner).count == 4)
    }

    @Test("a sign-in without being remembered removes what is valid there, for every check, and nothing elsewhere")
    func forgets() async throws {
        try await fixture.store.users.add(ada, events: [])
        try await signIn(scope: .tenant, remembers: true)
        try await signIn(scope: .application, client: "tasks", remembers: true)
        try await signIn(scope: .application, client: "other", remembers: true)
        try await signIn("Again", scope: .application, client: "tasks", remembers: false)
        #expect(try await kept { "\($0.scope) \($0.client)" } == ["application other"])
        try await signIn("Again", scope: .application, client: "other", remembers: false)
        #expect(try await kept { "\($0.scope)" }.isEmpty)
    }
}
