import FlowModel
import Moments
import OAuth
import Storage
import TestSupport
import Testing

@testable import AuthorityStore

/// Tests the two transactions that store an answer.
///
/// The first transaction claims and charges the answer. The second stores the result and everything that it grants.
@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct FlowCommitTests {
    private let fixture: StoreFixture
    private let user: UserRecord
    private let budget = BudgetKey("budget")
    private let heir = Owner.browser(session: "heir")

    private var store: AuthorityStore { fixture.store }

    init() async throws {
        fixture = try StoreFixture()
        user = fixture.user("u", "ada@example.org")
        try await fixture.store.users.add(user)
        _ = try await fixture.store.flows.open(fixture.flow("f"), pending: fixture.pending("r"))
    }

    private func claim(_ rev: Int = 1) -> FlowCommit {
        FlowCommit(flow: fixture.flow("f", rev: rev + 1), expectedRev: rev)
    }

    private func charge(_ most: Int) -> Charge {
        Charge(key: budget, subject: nil, rule: .window(max: most, period: .seconds(60)))
    }

    private func used() async throws -> Int? {
        try await store.attempts.peek([budget], at: StoreFixture.owner.origin.levels).budgets.first?.used
    }

    private func revision() async throws -> Int? { try await store.flows.get("f", owner: StoreFixture.owner)?.rev }

    /// Returns the commit that ends the flow, issues a code and hands the session over to another cookie.
    private func end(_ rev: Int = 1, at epoch: Int64) -> FlowCommit {
        var commit = FlowCommit(
            flow: fixture.flow("f", rev: rev + 1, isOpen: false, user: user.id),
            expectedRev: rev,
            authentication: fixture.authentication(user.id),
            pendingRequest: "r",
            session: fixture.session("s", user.id),
            events: [fixture.event(.signInSucceeded)]
        )
        commit.conclusion = FlowConclusion(
            grant: TokenIssue(
                source: .authentication(requestID: "r"),
                owner: StoreFixture.owner,
                user: user.id,
                expectedEpoch: epoch,
                product: .code(fixture.code("c", user.id, session: "s"))
            ),
            handOvers: [SessionHandOver(from: StoreFixture.owner, to: heir, of: user.id)]
        )
        return commit
    }

    @Test("an answer is claimed and charged together, or neither") func claimed() async throws {
        guard case .charged(_, let used) = try await store.flows.claim(claim(), charging: [charge(1)]) else {
            Testing.Issue.record("the first charge is not taken")
            return
        }
        #expect(used == [1])
        #expect(try await revision() == 2)
        guard case .blocked = try await store.flows.claim(claim(2), charging: [charge(1)]) else {
            Testing.Issue.record("a charge beyond the budget is taken")
            return
        }
        #expect(try await revision() == 2)
        let late = await #expect(throws: StoreError.self) {
            try await store.flows.claim(claim(1), charging: [charge(9)])
        }
        #expect(late?.code == .conflict)
        #expect(try await self.used() == 1)
    }

    @Test("an answer of a user who signed out is neither claimed nor charged") func signedOut() async throws {
        try await store.sessions.signOut(owner: StoreFixture.owner, user: user.id)
        let commit = FlowCommit(flow: fixture.flow("f", rev: 2, user: user.id), expectedRev: 1)
        let refused = await #expect(throws: StoreError.self) {
            try await store.flows.claim(commit, charging: [charge(9)])
        }
        #expect(refused?.code == .conflict)
        #expect(try await used() == 0)
        #expect(try await store.flows.get("f", owner: StoreFixture.owner)?.closedAs == "cancelled")
    }

    @Test("the code and the session are written with the result, which uses up the authentication") func given()
        async throws
    {
        try await store.flows.commit(end(at: try await store.epoch()))
        #expect(try await store.codes.get("c")?.sessionID == "s")
        #expect(try await store.sessions.live(owner: heir).map(\.id) == ["s"])
        #expect(try await store.sessions.live(owner: StoreFixture.owner).isEmpty)
        #expect(try await store.audit.all(limit: 10).map(\.event) == [AuditKind.signInSucceeded.rawValue])
        let used = await #expect(throws: StoreError.self) {
            try await store.requests.peek("r", owner: StoreFixture.owner)
        }
        #expect(used?.code == .consumed)
    }

    @Test(
        "if the result or the code is rejected neither is written",
        arguments: [StoreError.Code.conflict, .stale]
    )
    func refused(_ code: StoreError.Code) async throws {
        // Enabling a user who is already enabled still increments the epoch.
        if code == .stale { try await store.users.setEnabled(user.id, true) }
        let epoch = try await store.epoch()
        let commit = end(code == .conflict ? 7 : 1, at: code == .stale ? epoch - 1 : epoch)
        let refused = await #expect(throws: StoreError.self) { try await store.flows.commit(commit) }
        #expect(refused?.code == code)
        #expect(try await store.codes.get("c") == nil)
        #expect(try await store.sessions.live(owner: heir).isEmpty)
        #expect(try await store.sessions.live(owner: StoreFixture.owner).isEmpty)
        #expect(try await store.requests.waiting("r", owner: StoreFixture.owner) == fixture.pending("r"))
        #expect(try await revision() == 1)
        #expect(try await store.audit.all(limit: 10).isEmpty)
    }

    @Test("a user who is disabled in the meantime gets no code, and the flow ends") func disabled() async throws {
        try await store.users.setEnabled(user.id, false)
        let commit = end(at: try await store.epoch())
        let refused = await #expect(throws: StoreError.self) { try await store.flows.commit(commit) }
        #expect(refused?.code == .conflict)
        #expect(try await store.codes.get("c") == nil)
        #expect(try await store.sessions.live(owner: heir).isEmpty)
        #expect(try await store.flows.get("f", owner: StoreFixture.owner)?.closedAs == "cancelled")
    }

    @Test("a flow started for a disabled user ends without a code") func disabledBefore() async throws {
        try await store.users.setEnabled(user.id, false)
        var flow = fixture.flow("later", user: user.id)
        flow.knownSignOut = try await store.flows.lastSignOut()
        _ = try await store.flows.open(flow)
        var commit = FlowCommit(flow: fixture.flow("later", rev: 2, user: user.id), expectedRev: 1)
        commit.changes = [.editProfile(["displayName": "Ada"])]
        let refused = await #expect(throws: StoreError.self) { try await store.flows.commit(commit) }
        #expect(refused?.code == .disabled)
    }
}
