import FlowModel
import Moments
import OAuth
import Storage
import TestSupport
import Testing

@testable import AuthorityStore

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct SignOutTests {
    let fixture: StoreFixture
    let user = UserID(oid: "u")
    var store: AuthorityStore { fixture.store }

    init() async throws {
        fixture = try StoreFixture()
        try await store.users.add(fixture.user("u", "ada@example.org"))
    }

    /// Returns a commit that identifies the user of the flow `f` and ends the flow.
    private func finish(_ rev: Int) -> FlowCommit {
        FlowCommit(
            flow: fixture.flow("f", rev: rev + 1, isOpen: false, user: user),
            expectedRev: rev,
            authentication: fixture.authentication(user),
            session: fixture.session("s", user),
            events: [fixture.event(.signInSucceeded)]
        )
    }

    @Test("a sign-out while a typed name is evaluated cancels the flow, and no session is created")
    func overtaken() async throws {
        _ = try await store.flows.open(fixture.flow("f"))
        try await store.flows.commit(FlowCommit(flow: fixture.flow("f", rev: 2), expectedRev: 1))
        try await store.sessions.signOut(owner: StoreFixture.owner, user: user)
        let error = await #expect(throws: StoreError.self) { try await store.flows.commit(finish(2)) }
        #expect(error?.code == .conflict)
        #expect(try await store.sessions.live(owner: StoreFixture.owner).isEmpty)
        #expect(try await store.flows.get("f", owner: StoreFixture.owner)?.closedAs == "cancelled")
        #expect(try await store.audit.all(limit: 10).isEmpty)
    }

    @Test("a flow that has just identified its user and continues is cancelled too") func intermediate() async throws {
        _ = try await store.flows.open(fixture.flow("f"))
        try await store.flows.cancelAll(owner: StoreFixture.owner, user: user)
        let error = await #expect(throws: StoreError.self) {
            try await store.flows.commit(FlowCommit(flow: fixture.flow("f", rev: 2, user: user), expectedRev: 1))
        }
        #expect(error?.code == .conflict)
        #expect(try await store.flows.get("f", owner: StoreFixture.owner)?.closedAs == "cancelled")
    }

    @Test("a new flow that read its user before a sign-out, and was written after it, is cancelled too")
    func before() async throws {
        var flow = fixture.flow("f")
        flow.knownSignOut = try await store.flows.lastSignOut()
        try await store.sessions.signOut(owner: StoreFixture.owner, user: user)
        _ = try await store.flows.open(flow)
        let error = await #expect(throws: StoreError.self) { try await store.flows.commit(finish(1)) }
        #expect(error?.code == .conflict)
        #expect(try await store.sessions.live(owner: StoreFixture.owner).isEmpty)
        #expect(try await store.flows.get("f", owner: StoreFixture.owner)?.closedAs == "cancelled")
    }

    @Test("an answer whose user was read before a sign-out, and that is claimed after it, is cancelled too")
    func claimedLater() async throws {
        _ = try await store.flows.open(fixture.flow("f"))
        var claimed = fixture.flow("f", rev: 2)
        claimed.knownSignOut = try await store.flows.lastSignOut()
        try await store.sessions.signOut(owner: StoreFixture.owner, user: user)
        _ = try await store.flows.claim(FlowCommit(flow: claimed, expectedRev: 1), charging: [])
        let error = await #expect(throws: StoreError.self) { try await store.flows.commit(finish(2)) }
        #expect(error?.code == .conflict)
        #expect(try await store.sessions.live(owner: StoreFixture.owner).isEmpty)
        #expect(try await store.flows.get("f", owner: StoreFixture.owner)?.closedAs == "cancelled")
    }

    @Test("an answer after the sign-out signs in, and sign-outs of others change nothing")
    func afterwards() async throws {
        _ = try await store.flows.open(fixture.flow("f"))
        try await store.sessions.signOut(owner: StoreFixture.owner, user: user)
        try await store.flows.commit(FlowCommit(flow: fixture.flow("f", rev: 2), expectedRev: 1))
        try await store.sessions.signOut(owner: StoreFixture.other, user: user)
        try await store.sessions.signOut(owner: StoreFixture.owner, user: UserID(oid: "v"))
        try await store.flows.commit(finish(2))
        #expect(try await store.sessions.live(owner: StoreFixture.owner).map(\.id) == ["s"])
    }

    @Test("changing a password while the old one is verified cancels the flow, and no session is created")
    func changedPassword() async throws {
        for (id, owner) in [("f", StoreFixture.owner), ("g", StoreFixture.other)] {
            _ = try await store.flows.open(fixture.flow(id, owner: owner))
        }
        try await store.flows.commit(FlowCommit(flow: fixture.flow("f", rev: 2), expectedRev: 1))
        try await store.users.changePassword(
            of: user,
            from: Secret("$argon2id$planted"),
            to: Secret("$argon2id$another"),
            keeping: StoreFixture.other,
            settled: [],
            events: []
        )
        let error = await #expect(throws: StoreError.self) { try await store.flows.commit(finish(2)) }
        #expect(error?.code == .conflict)
        #expect(try await store.sessions.live(owner: StoreFixture.owner).isEmpty)
        #expect(try await store.flows.get("f", owner: StoreFixture.owner)?.closedAs == "cancelled")
        // A flow in which the user is identified only after the change continues. This flow belongs to the caller that
        // made the change.
        let other = fixture.flow("g", owner: StoreFixture.other, rev: 2)
        try await store.flows.commit(FlowCommit(flow: other, expectedRev: 1))
        let next = fixture.flow("g", owner: StoreFixture.other, rev: 3, user: user)
        try await store.flows.commit(FlowCommit(flow: next, expectedRev: 2))
        #expect(try await store.flows.get("g", owner: StoreFixture.other)?.isOpen == true)
    }

    /// The ways in which an operator or the user can end all access that a password gave.
    enum Ending: CaseIterable {
        case newPasswordRequired, everywhere, disabled, checkLoggedOut
    }

    @Test("every way to end all sessions of a user cancels a sign-in under a typed name", arguments: Ending.allCases)
    func endedWhileEvaluated(_ ending: Ending) async throws {
        _ = try await store.flows.open(fixture.flow("f"))
        try await store.flows.commit(FlowCommit(flow: fixture.flow("f", rev: 2), expectedRev: 1))
        switch ending {
        case .newPasswordRequired: try await store.users.requireNewPassword(of: user, events: [])
        case .everywhere: try await store.users.endEverything(of: user, reason: "signed_out")
        case .disabled:
            try await store.users.setEnabled(user, false)
            try await store.users.setEnabled(user, true)
        case .checkLoggedOut:
            try await store.sessions.forgetProofs(over: .password, owner: StoreFixture.owner, user: user)
        }
        let error = await #expect(throws: StoreError.self) { try await store.flows.commit(finish(2)) }
        #expect(error?.code == .conflict)
        #expect(try await store.sessions.live(owner: StoreFixture.owner).isEmpty)
        #expect(try await store.flows.get("f", owner: StoreFixture.owner)?.closedAs == "cancelled")
    }

    @Test(
        "a stored authentication for a token is deleted by a sign-out, by disabling and by deleting the user",
        arguments: 0..<4
    )
    func met(_ how: Int) async throws {
        let ada = fixture.user("v", "bob@example.org")
        try await fixture.signedIn(ada)
        #expect(try await store.requests.peek("r", owner: StoreFixture.owner).authentication.user == ada.id)
        switch how {
        case 0: try await store.sessions.signOut(owner: StoreFixture.owner, user: ada.id)
        case 1: try await store.sessions.signOut(owner: StoreFixture.owner, user: nil)
        case 2:
            try await store.users.setEnabled(ada.id, false)
            try await store.users.setEnabled(ada.id, true)
        default: try await store.users.delete(ada.id)
        }
        let error = await #expect(throws: StoreError.self) {
            try await store.grants.issue(
                TokenIssue(
                    source: .authentication(requestID: "r"),
                    owner: StoreFixture.owner,
                    user: ada.id,
                    expectedEpoch: try await store.epoch(),
                    product: nil
                )
            )
        }
        #expect(error?.code == .notFound)
    }

    @Test("a sign-out of another user or at another owner preserves the stored authentication") func metByOthers()
        async throws
    {
        let bob = fixture.user("v", "bob@example.org")
        try await fixture.signedIn(bob)
        try await store.sessions.signOut(owner: StoreFixture.owner, user: user)
        try await store.sessions.signOut(owner: StoreFixture.other, user: bob.id)
        try await store.sessions.signOut(owner: StoreFixture.other, user: nil)
        #expect(try await store.requests.peek("r", owner: StoreFixture.owner).authentication.user == bob.id)
    }

    @Test("a sign-out is deleted when no flow can have begun before it") func forgotten() async throws {
        try await store.sessions.signOut(owner: StoreFixture.owner, user: user)
        #expect(try await store.flows.sweep(limit: 10) == 0)
        fixture.clock.advance(by: SignOuts.rememberedFor)
        #expect(try await store.flows.sweep(limit: 10) == 1)
    }

    @Test("the audit names each family that a sign-out revoked, in the order of one transaction") func audited()
        async throws
    {
        for id in ["one", "two"] {
            try await store.flows.finishNew(id, fixture, user)
            try await store.grants.issue(
                TokenIssue(
                    source: .session(id: id, prolongedUntil: nil),
                    owner: StoreFixture.owner,
                    user: user,
                    expectedEpoch: try await store.epoch(),
                    product: .family(fixture.family(id, user))
                )
            )
        }
        let event = fixture.event(.signOut)
        let removed = try await store.sessions.signOut(owner: StoreFixture.owner, user: user, events: [event]) {
            AuditEvent(.familyRevoked, user: $0.user, client: $0.client, correlationID: .random())
        }
        #expect(removed.families == 2)
        let events = try await store.audit.all(limit: 10)
        #expect(events.map(\.event) == ["family.revoked", "family.revoked", "signout"])
        #expect(events.first?.client == "tasks")
    }
}

extension AuthorityStore.FlowTable {
    /// Opens a flow of `user` and ends it successfully, which creates a session.
    fileprivate func finishNew(_ id: String, _ fixture: StoreFixture, _ user: UserID) async throws {
        _ = try await open(fixture.flow(id))
        try await commit(
            FlowCommit(
                flow: fixture.flow(id, rev: 2, isOpen: false, user: user),
                expectedRev: 1,
                authentication: fixture.authentication(user),
                session: fixture.session(id, user)
            )
        )
    }
}
