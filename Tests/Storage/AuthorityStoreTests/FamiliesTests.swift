import DurableSQLite
import FlowModel
import GRDB
import Moments
import OAuth
import Storage
import TestSupport
import Testing

@testable import AuthorityStore

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct FamiliesTests {
    let fixture: StoreFixture
    let user = UserID(oid: "u")
    var store: AuthorityStore { fixture.store }

    init() async throws {
        fixture = try StoreFixture()
        try await fixture.signedIn(fixture.user("u", "ada@example.org"))
        try await issue("fam")
    }

    private static let browser = Owner.browser(session: "b")

    private func issue(_ family: String, to owner: Owner = StoreFixture.owner) async throws {
        try await store.grants.issue(
            TokenIssue(
                source: .session(id: "s", prolongedUntil: nil),
                owner: StoreFixture.owner,
                user: user,
                expectedEpoch: try await store.epoch(),
                product: .family(fixture.family(family, user, owner: owner))
            )
        )
    }

    private func rotateOfBrowser(
        _ counter: Int64,
        _ scopes: [String] = ["tasks/read"],
        grace: Duration = .seconds(10)
    ) async throws -> Rotation {
        try await store.families.rotate(
            fixture.presentation("web", counter, Self.browser, scopes: scopes, grace: grace),
            events: [fixture.event(.tokenRenewed)]
        )
    }

    private func rotate(_ counter: Int64, _ holder: Owner = StoreFixture.owner) async throws -> Rotation {
        try await store.families.rotate(fixture.presentation("fam", counter, holder))
    }

    @Test("the newest token gets a successor, and the previous one gets the same successor again") func idempotent()
        async throws
    {
        guard case .rotated(let first) = try await rotate(0) else {
            Testing.Issue.record("not rotated")
            return
        }
        #expect(first.counter == 1)
        #expect(try await rotate(0) == .repeated(first))
        guard case .rotated(let second) = try await rotate(1) else {
            Testing.Issue.record("not rotated")
            return
        }
        #expect(second.counter == 2)
    }

    @Test("during the grace period, the previous token of a browser gets the same successor, and each use is audited")
    func grace() async throws {
        try await issue("web", to: Self.browser)
        guard case .rotated(let first) = try await rotateOfBrowser(0) else {
            Testing.Issue.record("not rotated")
            return
        }
        #expect(try await rotateOfBrowser(0) == .repeated(first))
        fixture.clock.advance(by: .milliseconds(9_999))
        #expect(try await rotateOfBrowser(0, []) == .repeated(first))
        let events = try await store.audit.all(limit: 100).filter { $0.event == "token.renewed" }
        #expect(events.map { $0.detail["repeated"] } == [nil, "true", "true"])
        guard case .rotated(let second) = try await rotateOfBrowser(1) else {
            Testing.Issue.record("not rotated")
            return
        }
        #expect(second.counter == 2)
    }

    @Test(
        "otherwise the previous token of a browser revokes the family",
        arguments: [
            "time", "wall clock", "time, and a wall clock that was set back", "more scopes", "used successor",
            "no grace period",
        ]
    )
    func outsideGrace(_ reason: String) async throws {
        try await issue("web", to: Self.browser)
        let grace: Duration = reason == "no grace period" ? .zero : .seconds(10)
        guard case .rotated = try await rotateOfBrowser(0, grace: grace) else {
            Testing.Issue.record("not rotated")
            return
        }
        var scopes = ["tasks/read"]
        switch reason {
        case "time": fixture.clock.advance(by: .seconds(10))
        case "wall clock": fixture.clock.setWall(by: .seconds(10))
        case "time, and a wall clock that was set back":
            fixture.clock.advance(by: .seconds(10))
            fixture.clock.setWall(by: .seconds(-10))
        case "more scopes": scopes.append("tasks/write")
        case "used successor": _ = try await rotateOfBrowser(1)
        default: break
        }
        #expect(try await rotateOfBrowser(0, scopes) == .refused(.reused))
        #expect(try await store.families.get("web")?.revokedReason == "reused")
    }

    @Test("an older token than the previous one revokes the family, and the audit records it") func reused()
        async throws
    {
        for counter in 0..<2 { _ = try await rotate(Int64(counter)) }
        #expect(try await rotate(0) == .refused(.reused))
        #expect(try await rotate(2) == .refused(.revoked))
        let last = try #require(try await store.audit.all(limit: 100).last)
        #expect(last.event == "family.revoked")
        #expect(last.detail["reason"] == "reused")
    }

    @Test("an access token leads to its family and its user, with groups in order") func standing() async throws {
        for group in ["b", "a"] { _ = try await store.groups.add(user, to: group) }
        let standing = try #require(try await store.families.standing(of: "fam.token", in: "fam"))
        #expect(standing.owner == StoreFixture.owner)
        let person = try await store.users.get(user)
        #expect(standing.user == person)
        #expect(standing.user.groups == ["a", "b"])
        #expect(standing.authentication == fixture.authentication(user))
        #expect(try await store.families.standing(of: "fam.token", in: "other") == nil)
    }

    @Test(
        "a revoked token, family or user is noticed at the next lookup",
        arguments: ["token", "family", "person", "account"]
    )
    func noLongerStanding(_ revoked: String) async throws {
        #expect(try await store.families.standing(of: "fam.token", in: "fam") != nil)
        switch revoked {
        case "token":
            _ = try await store.spentIDs.spend("fam.token", of: .accessToken, by: "tasks", until: .max)
            #expect(try await store.families.standing(of: "fam.other", in: "fam") != nil)
        case "family": try await store.families.revoke(["fam"], reason: "test")
        case "person": try await store.users.setEnabled(user, false)
        default: try await store.users.delete(user)
        }
        #expect(try await store.families.standing(of: "fam.token", in: "fam") == nil)
    }

    @Test("changing an attribute of the user revokes the family, and an edit without changes does not") func edited()
        async throws
    {
        try await store.users.edit(user, ["displayName": "Ada"], events: [])
        guard case .rotated = try await rotate(0) else {
            Testing.Issue.record("not rotated")
            return
        }
        try await store.users.edit(user, ["displayName": "Ada Lovelace"], events: [])
        #expect(try await rotate(1) == .refused(.revoked))
        #expect(try await store.families.get("fam")?.revokedReason == "profile_changed")
    }

    @Test("another holder revokes the family, even with the newest token") func otherHolder() async throws {
        #expect(try await rotate(0, StoreFixture.other) == .refused(.notHolder))
        #expect(try await rotate(0) == .refused(.revoked))
    }

    @Test("an expired token, or one of a disabled user, gets no successor and keeps its number")
    func without() async throws {
        func set(enabled: Int) async throws {
            try await store.core.database.write { db in
                try db.execute(sql: "/* test */ UPDATE users SET enabled = \(enabled)")
            }
        }
        try await set(enabled: 0)
        #expect(try await rotate(0) == .refused(.disabled))
        #expect(try await store.families.get("fam")?.counter == 0)
        try await set(enabled: 1)
        guard case .rotated = try await rotate(0) else {
            Testing.Issue.record("not rotated")
            return
        }
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await rotate(1) == .refused(.expired))
        #expect(try await store.families.get("fam")?.counter == 1)
        #expect(try await rotate(7) == .refused(.reused))
        #expect(try await store.families.get("fam")?.counter == 1)
    }

    @Test("50 simultaneous renewals produce one successor") func parallel() async throws {
        let outcomes = try await withThrowingTaskGroup(of: Rotation.self) { group in
            for _ in 0..<50 { group.addTask { try await rotate(0) } }
            return try await group.reduce(into: [Rotation]()) { $0.append($1) }
        }
        let counters = outcomes.compactMap { outcome -> Int64? in
            switch outcome {
            case .rotated(let row), .repeated(let row): row.counter
            case .refused: nil
            }
        }
        #expect(counters == [Int64](repeating: 1, count: 50))
    }

    @Test("setting the wall clock forward ends tokens, and setting it back extends none") func clocks() async throws {
        fixture.clock.setWall(by: .seconds(-3600))
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await rotate(0) == .refused(.expired))
    }

    @Test("setting the wall clock forward ends a token") func forward() async throws {
        fixture.clock.setWall(by: .seconds(3600))
        #expect(try await rotate(0) == .refused(.expired))
    }

    @Test("signing out ends sessions, families and flows of that owner only") func signOut() async throws {
        _ = try await store.flows.open(fixture.flow("g"))
        _ = try await store.flows.open(fixture.flow("h", owner: StoreFixture.other))
        let removed = try await store.sessions.signOut(owner: StoreFixture.owner, user: nil)
        #expect(removed == Removed(sessions: 1, families: 1, flows: 1))
        #expect(try await rotate(0) == .refused(.revoked))
        #expect(try await store.flows.get("g", owner: StoreFixture.owner)?.closedAs == "cancelled")
        #expect(try await store.flows.list(owner: StoreFixture.other).count == 1)
    }

    @Test("a renewal and its audit event are written in one transaction") func renewalAudited() async throws {
        try await store.core.database.write { db in
            try db.execute(sql: "CREATE TRIGGER no AFTER INSERT ON audit BEGIN SELECT RAISE(ABORT, 'planned'); END")
        }
        let error = await #expect(throws: StoreError.self) {
            try await store.families.rotate(fixture.presentation("fam", 0), events: [fixture.event(.tokenRenewed)])
        }
        #expect(error?.code == .failed && error?.message.contains("planned") == true)
        #expect(try await store.families.get("fam")?.counter == 0)
        try await store.core.database.write { db in try db.execute(sql: "DROP TRIGGER no") }
        _ = try await store.families.rotate(fixture.presentation("fam", 0), events: [fixture.event(.tokenRenewed)])
        #expect(try await store.audit.all(limit: 100).last?.event == "token.renewed")
        _ = try await store.families.rotate(fixture.presentation("fam", 7), events: [fixture.event(.tokenRenewed)])
        #expect(try await store.audit.all(limit: 100).last?.event == "family.revoked")
    }

    @Test(
        "the active families of an owner are limited, and one more revokes the least recently renewed, with an audit event"
    )
    func live() async throws {
        let most = AuthorityStore.Families.mostLive
        let epoch = try await store.epoch()
        let families = (1..<most).map { number in
            FamilyRow(
                id: "fam\(number)",
                owner: StoreFixture.owner,
                user: user,
                client: "client\(number)",
                policy: "b2c_1_sign_in",
                scopes: [],
                secret: Secret("family secret"),
                authentication: fixture.authentication(user),
                createdAt: fixture.clock.now.wall,
                expires: Deadline(.seconds(3600), after: fixture.clock.now),
                windowEnds: Deadline(.seconds(86_400), after: fixture.clock.now),
                sessionID: nil
            )
        }
        func add(_ family: FamilyRow, events: [AuditEvent] = []) async throws {
            try await store.grants.issue(
                TokenIssue(
                    source: .session(id: "s", prolongedUntil: nil),
                    owner: StoreFixture.owner,
                    user: user,
                    expectedEpoch: epoch,
                    product: .family(family),
                    events: events
                )
            )
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for family in families { group.addTask { try await add(family) } }
            try await group.waitForAll()
        }
        #expect(try await store.families.list(owner: StoreFixture.owner).count == most)
        // All families except one are renewed later, so that this one is the least recently renewed.
        fixture.clock.advance(by: .seconds(60))
        for family in ["fam"] + families.map(\.id) where family != "fam7" {
            _ = try await store.families.rotate(fixture.presentation(family, 0))
        }
        let event = fixture.event(.tokenIssued)
        try await add(fixture.family("one more", user), events: [event])
        #expect(try await store.families.list(owner: StoreFixture.owner).count == most)
        #expect(try await store.families.get("fam7")?.revokedReason == "limit")
        let ended = try await store.audit.all(limit: 100).filter { $0.event == "family.revoked" }
        #expect(ended.map(\.client) == ["client7"])
        #expect(ended.first?.detail["reason"] == "limit")
        #expect(ended.first?.correlationID == event.correlationID.description)
    }

    @Test("the number of stored revoked families per owner is limited, and expired ones are deleted") func bounded()
        async throws
    {
        let most = AuthorityStore.Families.mostRevoked
        for index in 0..<most + AuthorityStore.Families.greatestNumber + 3 {
            fixture.clock.advance(by: .milliseconds(1))
            try await issue("fam\(index)")
        }
        try await store.sessions.signOut(owner: StoreFixture.owner, user: nil)
        let count = {
            try await store.core.database.read { db in
                try db.number("/* test */ SELECT count(*) FROM families")
            }
        }
        #expect(try await count() == most)
        #expect(try await store.families.get("fam") == nil)
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await store.families.sweep(limit: 1000) == most)
    }

    @Test("one grant beyond the limit revokes the oldest") func superseded() async throws {
        for index in 0..<AuthorityStore.Families.greatestNumber {
            fixture.clock.advance(by: .milliseconds(1))
            try await issue("fam\(index)")
        }
        let live = try await store.families.list(owner: StoreFixture.owner)
        #expect(live.count == AuthorityStore.Families.greatestNumber)
        #expect(try await store.families.get("fam")?.revokedReason == "superseded")
    }
}
