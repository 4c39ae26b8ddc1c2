import DurableSQLite
import FlowModel
import Foundation
import Moments
import OAuth
import Origins
import Storage
import TestSupport
import Testing

@testable import AuthorityStore

/// Tests that a user with many networks or uids cannot use up the limits that all users share.
@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct SharedRowsTests {
    private let fixture: StoreFixture
    private var store: AuthorityStore { fixture.store }

    init() throws {
        fixture = try StoreFixture()
    }

    private func site(_ site: UInt8, _ network: Int = 0) throws -> OriginLevels {
        try #require(
            OriginLevels(address: [0x20, 1, 0xD, 0xB8, 0, site, UInt8(network / 256), UInt8(network % 256)])
        )
    }

    /// Opens a flow that a browser starts from this network.
    private func browse(
        _ id: String,
        from origin: OriginLevels,
        _ caps: FlowCaps = FlowCaps()
    ) async throws
        -> FlowOpening
    {
        var flow = fixture.flow(id, owner: .browser(session: id))
        flow.origin = origin
        return try await store.flows.open(flow, limits: caps)
    }

    private func isOpen(_ id: String) async throws -> Bool {
        try await store.flows.get(id, owner: .browser(session: id))?.isOpen ?? false
    }

    @Test(
        "128 networks of one site get a quarter of the browser flows, and another site's browser can start and continue"
    )
    func networks() async throws {
        #expect(try await browse("honest", from: site(9)) == .opened)
        for number in 0..<128 { _ = try await browse("a\(number)", from: site(1, number)) }
        var open = 0
        for number in 0..<128 where try await isOpen("a\(number)") { open += 1 }
        #expect(open == FlowCaps().total / 8)
        #expect(try await browse("late", from: site(8)) == .opened)
        #expect(try await isOpen("honest"))
    }

    @Test("when the total is used up by many sites, the largest loses its newest flow for a browser of another site")
    func full() async throws {
        let caps = FlowCaps(perOwner: 8, total: 32)
        #expect(try await browse("honest", from: site(99), caps) == .opened)
        for number in 0..<60 { _ = try await browse("a\(number)", from: site(UInt8(number % 5)), caps) }
        let before = try await store.audit.all(limit: 500).count
        #expect(try await browse("late", from: site(98), caps) == .replaced)
        #expect(try await isOpen("honest"))
        #expect(try await isOpen("late"))
        let events = try await store.audit.all(limit: 500)
        #expect(events.count == before + 1 && events.contains { $0.event == "flow.cancelled" })
        // The browser whose flow was replaced sees that the flow was cancelled.
        var ended: [FlowRow] = []
        for number in 0..<60 {
            let row = try await store.flows.get("a\(number)", owner: .browser(session: "a\(number)"))
            if let row, !row.isOpen { ended.append(row) }
        }
        #expect(ended.map(\.idHash) == ["a10"], "of a0, a5 and a10 of the largest site, the youngest")
        #expect(ended.allSatisfy { $0.closedAs == "cancelled" })
    }

    @Test("a flow with an identified user is not replaced by others") func answered() async throws {
        let caps = FlowCaps(perOwner: 8, total: 16)
        for number in 0..<6 { _ = try await browse("a\(number)", from: site(UInt8(number / 2)), caps) }
        for number in 0..<6 {
            let flow = fixture.flow(
                "a\(number)",
                owner: .browser(session: "a\(number)"),
                rev: 2,
                user: UserID(oid: "u")
            )
            try await store.flows.commit(FlowCommit(flow: flow, expectedRev: 1))
        }
        #expect(try await browse("late", from: site(98), caps) == .full(.ofAll, retryAfterMs: 900_000))
    }

    @Test("100 subordinate uids of one user get a quarter of the flows, and every other user gets one") func uids()
        async throws
    {
        let file = fixture.folder.path("subuid")
        try Data("1001:100000:65536\n".utf8).write(to: URL(filePath: file))
        try await SubordinateRanges.$current.withValue(SubordinateRanges(path: file)) {
            func open(_ id: String, _ uid: UInt32) async throws -> FlowOpening {
                try await store.flows.open(fixture.flow(id, owner: .local(machine: "machine", uid: uid)))
            }
            var opened = 0
            for number in 0..<800 {
                switch try await open("a\(number)", UInt32(100_000 + number / 8)) {
                case .opened: opened += 1
                case .replaced, .full: break
                case .repeated, .joined: Issue.record("a flow of another request")
                }
            }
            #expect(opened == FlowCaps().total / 4)
            for uid: UInt32 in 1002..<1010 { #expect(try await open("h\(uid)", uid) == .opened) }
        }
    }

    /// Returns `true` if `add` succeeds, or `false` if it exceeds a limit.
    ///
    /// Any other error is rethrown.
    private func isTaken(_ add: () async throws -> Void) async throws -> Bool {
        do {
            try await add()
            return true
        } catch let error as StoreError where error.code == .limitExceeded {
            return false
        }
    }

    private func push(_ hash: String, _ share: RequestShare) async throws {
        try await store.pushedRequests.add(
            PushedRequestRow(
                hash: hash,
                client: "c",
                policy: "p",
                body: Data("parameters".utf8),
                expires: Deadline(.seconds(90), after: fixture.clock.now)
            ),
            share: share
        )
    }

    @Test("the networks of one site get a quarter of the pushed requests, and another site's is accepted") func pushed()
        async throws
    {
        let most = AuthorityStore.PushedRequests.greatestNumber / 4
        var taken = 0
        for number in 0..<(most + 40) {
            let share = RequestShare.origin(try site(1, number % 128))
            if try await isTaken({ try await push("a\(number)", share) }) { taken += 1 }
        }
        #expect(taken == most)
        try await push("honest", .origin(site(2)))
        #expect(try await store.pushedRequests.take("honest", client: "c", policy: "p") != nil)
    }

    @Test("the networks of one site get a quarter of the device codes, and another site's is accepted") func devices()
        async throws
    {
        let most = AuthorityStore.DeviceCodes.greatestNumber / 4
        var taken = 0
        for number in 0..<(most + 40) {
            let share = RequestShare.origin(try site(1, number % 128))
            let device = fixture.device("a\(number)")
            if try await isTaken({ try await store.deviceCodes.add(device, userCode: "A\(number)", share: share) }) {
                taken += 1
            }
        }
        #expect(taken == most)
        try await store.deviceCodes.add(fixture.device("honest"), userCode: "B", share: .origin(site(2)))
        #expect(try await store.deviceCodes.find(userCode: "B") != nil)
    }

    @Test("an authenticated client has its own share, from any origin") func client()
        async throws
    {
        for number in 0..<AuthorityStore.PushedRequests.perOrigin {
            try await push("a\(number)", .origin(OriginLevels(alone: "a")))
        }
        let error = await #expect(throws: StoreError.self) { try await push("more", .origin(OriginLevels(alone: "a"))) }
        #expect(error?.code == .limitExceeded)
        try await push("of the client", .client)
    }

    @Test("an origin is known for 90 days after a sign-in, also on disk, where only a keyed hash is stored")
    func known()
        async throws
    {
        let origin = try site(77)
        let user = fixture.user("u", "ada@example.org")
        _ = try await store.flows.open(fixture.flow("f"))
        #expect(try await !store.successes.has(origin))
        var finish = FlowCommit(
            flow: fixture.flow("f", rev: 2, isOpen: false, user: user.id),
            expectedRev: 1,
            authentication: fixture.authentication(user.id),
            changes: [.createUser(user, needsInvitation: false)]
        )
        finish.origin = origin
        try await store.flows.commit(finish)
        let again = try AuthorityStore.open(StoreFixture.options(fixture.folder, fixture.clock))
        #expect(try await again.successes.has(origin))
        #expect(try await !again.successes.has(site(78)))
        let macs = try await store.core.database.read { db in
            try db.rows("SELECT mac, widest FROM known_origins WHERE at > 0").map { row -> String in
                try row.get("mac") + (row.get("widest") as String)
            }
        }
        #expect(macs.count == 1 && macs.allSatisfy { !$0.contains("IPv6") && $0.utf8.count == 86 })
        fixture.clock.advance(by: AuthorityStore.Successes.life)
        #expect(try await !store.successes.has(origin))
        #expect(try await store.flows.sweep(limit: 10) > 0)
    }

    @Test("one site has at most 64 known origins, and displaces none of another") func knownBound() async throws {
        let honest = try site(1)
        try await note(honest)
        for network in 0..<100 {
            fixture.clock.advance(by: .milliseconds(1))
            try await note(try site(2, network))
        }
        #expect(try await store.successes.has(honest))
        #expect(try await store.successes.has(site(2, 99)))
        #expect(try await !store.successes.has(site(2, 0)))
        let count = try await store.core.database.read { db in
            try db.number("SELECT count(*) FROM known_origins WHERE at > 0")
        }
        #expect(count == 65)
    }

    private func note(_ origin: OriginLevels) async throws {
        let now = fixture.clock.now
        try await store.core.database.write { [store] db in try store.successes.add(db, origin, at: now) }
    }
}
