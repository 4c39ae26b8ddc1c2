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

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct AuthorityStoreTests {
    let fixture: StoreFixture
    var store: AuthorityStore { fixture.store }

    init() throws {
        fixture = try StoreFixture()
    }

    @Test("two daemons can open one store") func twoDaemons() async throws {
        let second = try AuthorityStore.open(StoreFixture.options(fixture.folder, fixture.clock))
        try await second.users.add(fixture.user("u", "ada@example.org"))
        #expect(try await store.users.find(signInName: "ada@example.org")?.id.oid == "u")
    }

    @Test("a different key is rejected") func wrongKey() throws {
        try store.close()
        let error = #expect(throws: StoreError.self) {
            try AuthorityStore.open(StoreFixture.options(fixture.folder, fixture.clock, key: 2))
        }
        #expect(error?.code == .wrongKey)
    }

    @Test("an owner of an unknown kind is a damaged row, and belongs to no user") func unknown() async throws {
        let ada = fixture.user("u", "a@example.org")
        try await fixture.signedIn(ada)
        try await store.audit.append([fixture.event(.signOut)])
        try await store.core.database.write { db in
            for table in ["flows", "sessions", "audit"] {
                try db.execute(sql: "-- every row\nUPDATE \(table) SET owner = 'kiosk:1'")
            }
        }
        let error = await #expect(throws: StoreError.self) { try await store.audit.all(limit: 10) }
        #expect(error?.code == .corrupt)
        #expect(try await store.sessions.live(owner: StoreFixture.owner).isEmpty)
        #expect(try await store.flows.get("f", owner: StoreFixture.owner) == nil)
    }

    @Test("a name finds its user in any spelling, and belongs to one user only") func names() async throws {
        try await store.users.add(fixture.user("u", "Straße@Example.org"))
        for name in ["straße@example.org", "STRAẞE@EXAMPLE.ORG", " Straße@Example.org "] {
            #expect(try await store.users.find(signInName: name)?.id.oid == "u")
        }
        let error = await #expect(throws: StoreError.self) {
            try await store.users.add(fixture.user("v", "STRAßE@example.org"))
        }
        #expect(error?.code == .nameTaken)
        #expect(try await store.users.get(UserID(oid: "v")) == nil)
    }

    @Test(
        "a name that only looks or sounds like another belongs to another user",
        arguments: [
            ("u@straße.org", "u@strasse.org"), ("x@ı.org", "x@i.org"), ("σς@example.org", "σσ@example.org"),
            ("ｕ@example.org", "u@example.org"), ("ﬁ@example.org", "fi@example.org"),
        ]
    )
    func alike(_ name: String, _ other: String) async throws {
        try await store.users.add(fixture.user("u", name))
        #expect(try await store.users.find(signInName: other) == nil)
        try await store.users.add(fixture.user("v", other))
        #expect(try await store.users.find(signInName: name)?.id.oid == "u")
        #expect(try await store.users.find(signInName: other)?.id.oid == "v")
    }

    @Test("the files contain no secret and no user's name in plain text") func sealed() async throws {
        try await fixture.signedIn(fixture.user("u", "ada@example.org"))
        try await store.grants.issue(
            TokenIssue(
                source: .authentication(requestID: "r"),
                owner: StoreFixture.owner,
                user: UserID(oid: "u"),
                expectedEpoch: try await store.epoch(),
                product: .family(fixture.family("fam", UserID(oid: "u")))
            )
        )
        let folder = fixture.folder.path("state")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.contains("authority.sqlite"), "\(names)")
        #expect(try await store.users.find(signInName: "ada@example.org") != nil)
        for name in names {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
            for planted in ["planted", "ada@example.org", "state of f"] {
                #expect(bytes.range(of: Data(planted.utf8)) == nil, "\(planted) in \(name)")
            }
        }
    }

    @Test("a flow that ends creates user, session, request, mail and audit at once") func finish() async throws {
        let user = fixture.user("u", "ada@example.org")
        try await fixture.signedIn(user)
        #expect(try await store.users.get(user.id) == user)
        #expect(try await store.sessions.live(owner: StoreFixture.owner).map(\.id) == ["s"])
        #expect(try await store.requests.peek("r", owner: StoreFixture.owner).authentication.user == user.id)
        #expect(try await store.outbox.take(limit: 10, lease: .seconds(60)).map(\.mail.to) == ["a@example.org"])
        #expect(
            try await store.audit.query(owner: StoreFixture.owner, limit: 10).map(\.event) == ["account.created"]
        )
        #expect(try await store.flows.list(owner: StoreFixture.owner).isEmpty)
    }

    @Test("a name that was taken in the meantime leaves the flow unchanged") func finishNameTaken() async throws {
        try await store.users.add(fixture.user("v", "ada@example.org"))
        let error = await #expect(throws: StoreError.self) {
            try await fixture.signedIn(fixture.user("u", "ada@example.org"))
        }
        #expect(error?.code == .nameTaken)
        #expect(try await store.flows.get("f", owner: StoreFixture.owner)?.rev == 1)
        #expect(try await store.sessions.live(owner: StoreFixture.owner).isEmpty)
    }

    @Test("another owner's flow, request and session appear not to exist") func foreign() async throws {
        try await fixture.signedIn(fixture.user("u", "ada@example.org"))
        #expect(try await store.flows.get("f", owner: StoreFixture.other) == nil)
        let peek = await #expect(throws: StoreError.self) {
            try await store.requests.peek("r", owner: StoreFixture.other)
        }
        #expect(peek?.code == .notFound)
        let epoch = try await store.epoch()
        for source in [TokenIssue.Source.authentication(requestID: "r"), .session(id: "s", prolongedUntil: nil)] {
            let error = await #expect(throws: StoreError.self) {
                try await store.grants.issue(
                    TokenIssue(
                        source: source,
                        owner: StoreFixture.other,
                        user: UserID(oid: "u"),
                        expectedEpoch: epoch,
                        product: nil
                    )
                )
            }
            #expect(error?.code == .notFound)
        }
    }

    @Test("a state of a flow follows the previous one or is rejected") func compareAndSet() async throws {
        _ = try await store.flows.open(fixture.flow("f"))
        try await store.flows.commit(FlowCommit(flow: fixture.flow("f", rev: 2), expectedRev: 1))
        let late = await #expect(throws: StoreError.self) {
            try await store.flows.commit(FlowCommit(flow: fixture.flow("f", rev: 2), expectedRev: 1))
        }
        #expect(late?.code == .conflict)
        let unknown = await #expect(throws: StoreError.self) {
            try await store.flows.commit(FlowCommit(flow: fixture.flow("g", rev: 2), expectedRev: 1))
        }
        #expect(unknown?.code == .notFound)
    }

    @Test("the same request finds its flow for 120 seconds, and an identical one joins") func repeated() async throws {
        let first = fixture.flow("f", requestID: "q", joinKey: "j")
        #expect(try await store.flows.open(first) == .opened)
        #expect(try await store.flows.open(fixture.flow("g", requestID: "q")) == .repeated(first))
        #expect(try await store.flows.open(fixture.flow("g", joinKey: "j")) == .joined(first))
        #expect(try await store.flows.open(fixture.flow("g", owner: StoreFixture.other, joinKey: "j")) == .opened)
        fixture.clock.advance(by: .seconds(120))
        #expect(try await store.flows.open(fixture.flow("h", requestID: "q")) == .opened)
    }

    @Test("the number of open flows is limited, and ended ones do not count") func caps() async throws {
        for index in 0..<8 { _ = try await store.flows.open(fixture.flow("\(index)")) }
        fixture.clock.advance(by: .seconds(100))
        #expect(try await store.flows.open(fixture.flow("8")) == .full(.ofOwner, retryAfterMs: 800_000))
        _ = try await store.flows.open(fixture.flow("9", owner: StoreFixture.other))
        fixture.clock.advance(by: .seconds(900))
        #expect(try await store.flows.overdue(limit: 100).count == 9)
        #expect(try await store.flows.open(fixture.flow("a")) == .opened)
    }

    @Test("browsers get half of all open flows for all addresses together, and the rest remains for the socket")
    func browsers() async throws {
        func open(_ id: String, _ owner: Owner) async throws -> FlowOpening {
            let caps = FlowCaps(perOwner: 8, total: 8)
            return try await store.flows.open(fixture.flow(id, owner: owner), limits: caps)
        }
        // Browsers may have four open flows, of which one is reserved for origins with an earlier sign-in.
        for index in 0..<3 { #expect(try await open("b\(index)", .browser(session: "\(index)")) == .opened) }
        #expect(try await open("b4", .browser(session: "4")) == .full(.ofAll, retryAfterMs: 900_000))
        for uid in 0..<3 as Range<UInt32> {
            #expect(try await open("l\(uid)", .local(machine: "machine", uid: uid)) == .opened)
        }
        fixture.clock.advance(by: .seconds(900))
        #expect(try await open("b5", .browser(session: "5")) == .opened)
    }

    @Test("an authentication can be used once, within 120 seconds") func singleUse() async throws {
        try await fixture.signedIn(fixture.user("u", "ada@example.org"))
        let issue = TokenIssue(
            source: .authentication(requestID: "r"),
            owner: StoreFixture.owner,
            user: UserID(oid: "u"),
            expectedEpoch: try await store.epoch(),
            product: .family(fixture.family("fam", UserID(oid: "u"))),
            consented: ["tasks/read"]
        )
        fixture.clock.advance(by: .seconds(119))
        try await store.grants.issue(issue)
        let error = await #expect(throws: StoreError.self) { try await store.grants.issue(issue) }
        #expect(error?.code == .consumed)
        #expect(try await store.consents.has(user: UserID(oid: "u"), client: "tasks", scopes: ["tasks/read"]))
    }

    @Test("data that changed since it was read is read again") func stale() async throws {
        try await fixture.signedIn(fixture.user("u", "ada@example.org"))
        let epoch = try await store.epoch()
        let client = ClientRow(
            ClientSummary(client: "c", name: "C", type: .confidential),
            secretHash: Secret("h"),
            createdAt: 1
        )
        try await store.clients.add(client)
        #expect(try await store.clients.list() == [client])
        let error = await #expect(throws: StoreError.self) {
            try await store.grants.issue(
                TokenIssue(
                    source: .session(id: "s", prolongedUntil: nil),
                    owner: StoreFixture.owner,
                    user: UserID(oid: "u"),
                    expectedEpoch: epoch,
                    product: nil
                )
            )
        }
        #expect(error?.code == .stale)
    }

    @Test("a user who may not sign in loses everything and gets nothing") func disabled() async throws {
        let user = fixture.user("u", "ada@example.org")
        try await fixture.signedIn(user)
        let epoch = try await store.epoch()
        try await store.grants.issue(
            TokenIssue(
                source: .session(id: "s", prolongedUntil: nil),
                owner: StoreFixture.owner,
                user: user.id,
                expectedEpoch: epoch,
                product: .family(fixture.family("fam", user.id))
            )
        )
        try await store.users.setEnabled(user.id, false)
        #expect(try await store.epoch() == epoch + 1)
        #expect(try await store.sessions.live(owner: StoreFixture.owner).isEmpty)
        #expect(try await store.families.rotate(fixture.presentation("fam", 0)) == .refused(.revoked))
        let error = await #expect(throws: StoreError.self) {
            try await store.grants.issue(
                TokenIssue(
                    source: .authentication(requestID: "r"),
                    owner: StoreFixture.owner,
                    user: user.id,
                    expectedEpoch: epoch + 1,
                    product: nil
                )
            )
        }
        #expect(error?.code == .disabled)
    }

    @Test("a signing key that cannot be opened is never set aside") func signingKey() async throws {
        let key = SigningKeyRow(
            kid: "k",
            alg: "ES256",
            secret: Secret("private"),
            jwk: "{}",
            state: "active",
            publishedAt: 1,
            activeFrom: 2
        )
        let epoch = try await store.epoch()
        let next = try await store.keys.replace([key], expectedEpoch: epoch)
        #expect(next == epoch + 1)
        #expect(try await store.keys.list() == [key])
        let late = await #expect(throws: StoreError.self) { try await store.keys.replace([], expectedEpoch: epoch) }
        #expect(late?.code == .stale)
        try await store.core.database.write { db in try db.run("/* test */ UPDATE signing_keys SET secret = X'01'") }
        for _ in 0..<2 {
            let error = await #expect(throws: StoreError.self) { try await store.keys.list() }
            #expect(error?.code == .corrupt)
        }
    }

    @Test("a swapped row is set aside with an audit event") func swapped() async throws {
        try await store.users.add(fixture.user("u", "ada@example.org"))
        try await store.users.add(fixture.user("v", "bob@example.org"))
        try await store.core.database.write { db in
            try db.run(
                "/* test */ UPDATE users SET profile = (SELECT profile FROM users WHERE id = 'u') WHERE id = 'v'"
            )
        }
        #expect(try await store.users.list(limit: 10).map(\.id.oid) == ["u"])
        #expect(try await store.users.find(signInName: "bob@example.org") == nil)
        #expect(try await store.audit.all(limit: 10).map(\.event) == ["store.row_damaged"])
    }

    @Test("the sign-in name of a damaged user stays taken until the user is deleted") func reserved() async throws {
        try await store.users.add(fixture.user("u", "ada@example.org"))
        try await store.core.database.write { db in try db.run("/* test */ UPDATE users SET profile = X'01'") }
        #expect(try await store.users.find(signInName: "ada@example.org") == nil)
        let error = await #expect(throws: StoreError.self) {
            try await store.users.add(fixture.user("v", "ADA@example.org"))
        }
        #expect(error?.code == .nameTaken)
        try await store.users.delete(UserID(oid: "u"))
        try await store.users.add(fixture.user("v", "ADA@example.org"))
    }

    @Test("the store's count of waiting mails is correct after every change") func counted() async throws {
        let waiting = { [store] in
            try await store.core.database.read { db in
                let counted = try db.number("SELECT value FROM counts WHERE id = 'outbox'")
                #expect(try db.number("/* test */ SELECT count(*) FROM outbox") == counted)
                return counted
            }
        }
        try await fixture.signedIn(fixture.user("u", "ada@example.org"))
        #expect(try await waiting() == 1)
        try await store.outbox.done(try #require(try await store.outbox.take(limit: 5, lease: .seconds(1)).first).id)
        #expect(try await waiting() == 0)
        try await store.core.database.write { db in
            try db.run("/* test */ UPDATE counts SET value = :full", ["full": AuthorityStore.Outbox.greatestNumber])
        }
        let mail = OutboxMail(to: "a@example.org", subject: "hello", body: Secret("b"))
        let error = await #expect(throws: StoreError.self) {
            try await store.flows.open(fixture.flow("g"), mails: [mail])
        }
        #expect(error?.code == .limitExceeded)
    }

    @Test("the audit's numbers have no gap when transactions fail") func audit() async throws {
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<50 {
                group.addTask { [fixture] in
                    try? await fixture.store.audit.append([fixture.event(), fixture.event()])
                    if index % 5 == 0 { try? await fixture.store.users.setEnabled(UserID(oid: "none"), true) }
                }
            }
        }
        let rows = try await store.audit.all(limit: 1000)
        #expect(rows.map(\.sequence) == Array(1...100))
        fixture.clock.advance(by: .seconds(60))
        #expect(try await store.audit.sweep(before: fixture.clock.now.wall, limit: 1000) == 99)
        try await store.audit.append([fixture.event()])
        #expect(try await store.audit.all(limit: 10).map(\.sequence) == [100, 101])
    }

    @Test("a mail is taken by one sender at a time, and again after its lease") func outbox() async throws {
        try await fixture.signedIn(fixture.user("u", "ada@example.org"))
        let mail = try #require(try await store.outbox.take(limit: 5, lease: .seconds(60)).first)
        #expect(mail.tries == 1)
        #expect(try await store.outbox.take(limit: 5, lease: .seconds(60)).isEmpty)
        fixture.clock.setWall(by: .seconds(3600))
        #expect(try await store.outbox.take(limit: 5, lease: .seconds(60)).isEmpty)
        fixture.clock.advance(by: .seconds(60))
        #expect(try await store.outbox.take(limit: 5, lease: .seconds(60)).map(\.tries) == [2])
        fixture.clock.reboot(after: .seconds(60))
        #expect(try await store.outbox.take(limit: 5, lease: .seconds(60)).map(\.tries) == [3])
        try await store.outbox.done(mail.id)
        fixture.clock.advance(by: .seconds(60))
        #expect(try await store.outbox.take(limit: 5, lease: .seconds(60)).isEmpty)
    }
}
