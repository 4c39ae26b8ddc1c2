import FlowModel
import Moments
import OAuth
import Storage
import TestSupport
import Testing

@testable import AuthorityStore

/// Tests flows that continue an existing session.
@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct SessionFlowTests {
    private let fixture: StoreFixture
    private let user: UserRecord
    private var store: AuthorityStore { fixture.store }

    /// Creates a user with the session `s` and the open flow `g`, which continues this session.
    ///
    /// The user has started the session with a password.
    init() async throws {
        fixture = try StoreFixture()
        user = fixture.user("u", "ada@example.org")
        try await fixture.signedIn(user)
        _ = try await fixture.store.flows.open(fixture.flow("g", user: user.id))
    }

    /// Returns the commit that ends the flow `g` after a correct code from an e-mail.
    private func end() -> FlowCommit {
        let code = Proof(check: "EmailCode", credential: .email, at: fixture.clock.now.wall, acr: "1", amr: ["otp"])
        let session = fixture.session("s", user.id)
        var commit = FlowCommit(
            flow: fixture.flow("g", rev: 2, isOpen: false, user: user.id),
            expectedRev: 1,
            authentication: fixture.authentication(user.id),
            session: SessionRow(
                id: session.id,
                owner: session.owner,
                user: session.user,
                proofs: [code],
                policy: "b2c_1_step_up",
                client: "web",
                scope: .policy,
                createdAt: session.createdAt,
                ends: session.ends,
                absoluteEnd: session.absoluteEnd
            )
        )
        commit.earlierSession = "s"
        return commit
    }

    private func live() async throws -> [SessionRow] { try await store.sessions.live(owner: StoreFixture.owner) }

    @Test("the session keeps its id, with the new checks and a later end up to its absolute one")
    func grows() async throws {
        let before = try #require(try await live().first)
        fixture.clock.advance(by: .seconds(3590))
        try await store.flows.commit(end())
        let after = try #require(try await live().first)
        #expect(after.proofs.map(\.credential) == [.password, .email])
        #expect(after.absoluteEnd == before.absoluteEnd && after.ends.wall == before.ends.wall + 3_590_000)
        #expect(after.policy == before.policy && after.client == before.client && after.scope == before.scope)
    }

    @Test("a logout ends the browser's open flows at once, and not those of others") func closed() async throws {
        _ = try await store.flows.open(fixture.flow("other", owner: StoreFixture.other))
        try await store.sessions.end(owner: StoreFixture.owner, events: [])
        #expect(try await store.flows.get("g", owner: StoreFixture.owner)?.closedAs == "cancelled")
        #expect(try await store.flows.get("other", owner: StoreFixture.other)?.closedAs == nil)
    }

    /// The ways in which a session can end.
    enum Ending: CaseIterable {
        case logout, logoutOfOne, signOut, everywhere, otherPerson, time
    }

    @Test(
        "an ended session is not restored, and nothing of the flow is written",
        arguments: Ending.allCases
    )
    func ended(_ ending: Ending) async throws {
        let owner = StoreFixture.owner
        switch ending {
        case .logout: try await store.sessions.end(owner: owner, events: [])
        case .logoutOfOne: #expect(try await store.users.endSessions(beside: "s", of: user.id))
        case .signOut: try await store.sessions.signOut(owner: owner, user: nil)
        case .everywhere: try await store.users.endEverything(of: user.id, reason: "signed_out")
        case .otherPerson:
            let change = SessionHandOver(from: owner, to: StoreFixture.other, of: UserID(oid: "bob"))
            try await store.sessions.handOver([change])
        case .time: fixture.clock.advance(by: .seconds(7200))
        }
        let error = await #expect(throws: StoreError.self) { try await store.flows.commit(end()) }
        switch ending {
        case .logout, .logoutOfOne, .signOut, .everywhere:
            #expect(error?.code == .conflict)
            #expect(try await store.flows.get("g", owner: owner)?.closedAs == "cancelled")
        case .otherPerson, .time:
            #expect(error?.code == .expired)
            #expect(try await store.flows.get("g", owner: owner)?.rev == 1)
        }
        #expect(try await live().isEmpty)
    }

    @Test("if another flow of the browser ended first, its new cookie is required, and the session is updated there")
    func twoFlows() async throws {
        let (old, new) = (StoreFixture.owner, Owner.browser(session: "new"))
        try await store.sessions.handOver([SessionHandOver(from: old, to: new, of: user.id)])
        let thief = await #expect(throws: StoreError.self) { try await store.flows.commit(end()) }
        #expect(thief?.code == .expired)
        var commit = end()
        commit.cookieOwner = new
        let last = Owner.browser(session: "last")
        commit.conclusion = FlowConclusion(
            handOvers: [old, new].map { SessionHandOver(from: $0, to: last, of: user.id) }
        )
        try await store.flows.commit(commit)
        #expect(try await live().isEmpty)
        #expect(try await store.sessions.live(owner: new).isEmpty)
        let session = try await store.sessions.live(owner: last)
        #expect(session.map(\.id) == ["s"] && session.first?.proofs.map(\.credential) == [.password, .email])
    }

    @Test("a check that is signed out stays so: an open flow that could use it ends, and the session keeps the rest")
    func loggedOut() async throws {
        try await store.sessions.forgetProofs(over: .email, owner: StoreFixture.owner, user: user.id)
        let error = await #expect(throws: StoreError.self) { try await store.flows.commit(end()) }
        #expect(error?.code == .conflict)
        #expect(try await live().first?.proofs.map(\.credential) == [.password])
    }
}
