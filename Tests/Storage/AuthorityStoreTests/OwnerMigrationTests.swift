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

/// Databases whose rows have `machine` and `uid` where today's have the one column `owner`.
@Suite(.timeLimit(.minutes(2)))
struct OwnerMigrationTests {
    let fixture: StoreFixture
    var store: AuthorityStore { fixture.store }

    init() throws {
        fixture = try StoreFixture()
    }

    private var options: AuthorityStore.Options {
        AuthorityStore.Options(
            directory: fixture.folder.path("old"),
            key: Secret(bytes: [UInt8](repeating: 1, count: 32)),
            clock: fixture.clock.clock
        )
    }

    /// The tables of everything that has an owner, and the others whose rows go with them.
    private static let tables = [
        "users", "flows", "sign_out_count", "sign_outs", "requests", "sessions", "families", "audit", "audit_budgets",
        "audit_owners",
    ]

    /// Writes what the fixture's store holds into a database that the four earlier migrations have made.
    private func writeOld(then change: String = "") async throws {
        let sealing = try Sealing(key: options.key, purpose: "tokenbroker authority")
        let old = try DurableDatabase(
            .init(
                directory: StateDirectory(options.directory),
                file: options.file,
                migrations: Array(Migrations.all.prefix(4)),
                sealing: sealing,
                clock: fixture.clock.clock
            )
        )
        for table in Self.tables {
            let rows = try await store.core.database.read { db in
                try Row.fetchAll(db, sql: "SELECT * FROM \(table)").map { Dictionary($0.map { ($0, $1) }) { $1 } }
            }
            try await old.write { db in
                try db.execute(sql: "DELETE FROM \(table)")
                for row in rows {
                    var values = row
                    if let owner = values.removeValue(forKey: "owner") { values.merge(Self.split(owner, table)) { $1 } }
                    if table == "families" { values["kind"] = "socket".databaseValue }
                    for later in ["resource", "spelled_scopes", "tenant", "own", "wider", "widest", "is_known"] {
                        values[later] = nil
                    }
                    if table == "audit_budgets" { values["budget"] = nil }
                    let names = values.keys.sorted()
                    let marks = names.map { ":\($0)" }.joined(separator: ", ")
                    try db.execute(
                        sql: "INSERT INTO \(table) (\(names.joined(separator: ", "))) VALUES (\(marks))",
                        arguments: StatementArguments(values)
                    )
                }
            }
        }
        try await old.write { db in try db.execute(sql: change) }
        try old.close()
    }

    private static func split(_ owner: DatabaseValue, _ table: String) -> [String: DatabaseValue] {
        guard let key = String.fromDatabaseValue(owner) else { return ["machine": .null, "uid": .null] }
        guard case .local(let machine, let uid) = Owner(key: key) else {
            return ["machine": "".databaseValue, "uid": 0.databaseValue]
        }
        return ["machine": machine.databaseValue, "uid": uid.databaseValue]
    }

    @Test("a database of the earlier schema opens with everything kept") func kept() async throws {
        let ada = fixture.user("u", "a@example.org")
        try await fixture.signedIn(ada)
        let family = fixture.family("fam", ada.id)
        try await store.grants.issue(
            TokenIssue(
                source: .session(id: "s", prolongedUntil: nil),
                owner: StoreFixture.owner,
                user: ada.id,
                expectedEpoch: try await store.epoch(),
                product: .family(family),
                events: [fixture.event()]
            )
        )
        _ = try await store.flows.open(fixture.flow("g", owner: StoreFixture.other, requestID: "q"))
        try await store.flows.cancelAll(owner: StoreFixture.other, user: UserID(oid: "v"))
        try await store.audit.append([
            fixture.event(.flowStarted), AuditEvent(.keyGenerated, correlationID: .random()),
        ])
        try await writeOld()

        let opened = try AuthorityStore.open(options)
        for owner in [StoreFixture.owner, StoreFixture.other] {
            for flow in ["f", "g"] {
                #expect(try await opened.flows.get(flow, owner: owner) == store.flows.get(flow, owner: owner))
            }
            #expect(try await opened.sessions.live(owner: owner) == store.sessions.live(owner: owner))
            #expect(try await opened.families.list(owner: owner) == store.families.list(owner: owner))
            let rows = try await opened.audit.query(owner: owner, limit: 100)
            #expect(try await rows == store.audit.query(owner: owner, limit: 100))
        }
        #expect(try await opened.flows.get("g", owner: StoreFixture.other)?.requestID == "q")
        #expect(try await opened.sessions.live(owner: StoreFixture.owner).count == 1)
        #expect(try await opened.families.get("fam") == family)
        #expect(try await opened.requests.peek("r", owner: StoreFixture.owner).authentication.user == ada.id)
        #expect(try await opened.audit.all(limit: 100) == store.audit.all(limit: 100))
        #expect(try await opened.audit.missing() == 0)
        let (kept, here) = try await (contents(opened), contents(store))
        #expect(kept == here)
        #expect(try await opened.check().isEmpty)
        let rotation = try await opened.families.rotate(fixture.presentation("fam", 0))
        if case .refused(let why) = rotation { #expect(Bool(false), "its owner cannot renew the family: \(why)") }
        try opened.close()
    }

    /// Every row of the tables, as text, without the levels of origins, which no earlier schema has.
    private func contents(_ store: AuthorityStore) async throws -> [String: [String]] {
        try await store.core.database.read { db in
            var contents: [String: [String]] = [:]
            for table in Self.tables {
                contents[table] = try Row.fetchAll(db, sql: "SELECT * FROM \(table)").map { row in
                    let columns = row.filter { !["own", "wider", "widest"].contains($0.0) }
                    return columns.map { "\($0)=\($1)" }.sorted().joined(separator: " ")
                }.sorted()
            }
            return contents
        }
    }

    @Test("a family of the earlier schema that no uid has made is a browser's") func http() async throws {
        let ada = fixture.user("u", "a@example.org")
        try await fixture.signedIn(ada)
        try await store.grants.issue(
            TokenIssue(
                source: .session(id: "s", prolongedUntil: nil),
                owner: StoreFixture.owner,
                user: ada.id,
                expectedEpoch: try await store.epoch(),
                product: .family(fixture.family("fam", ada.id))
            )
        )
        try await writeOld(then: "UPDATE families SET machine = NULL, uid = NULL, kind = 'http'")
        let opened = try AuthorityStore.open(options)
        let family = try #require(try await opened.families.get("fam"))
        #expect(family.owner == .browser(session: "fam"))
        let presentation = AuthorityStore.Families.Presentation(
            family: family,
            counter: 0,
            holder: StoreFixture.owner,
            successorEnds: family.expires,
            correlationID: .random()
        )
        #expect(try await opened.families.rotate(presentation) == .refused(.notHolder))
        try opened.close()
    }

    @Test("an owner of an unknown kind is a damaged row, and never somebody's") func unknown() async throws {
        let ada = fixture.user("u", "a@example.org")
        try await fixture.signedIn(ada)
        try await store.audit.append([fixture.event(.signOut)])
        try await store.core.database.write { db in
            for table in ["flows", "sessions", "audit"] { try db.execute(sql: "UPDATE \(table) SET owner = 'kiosk:1'") }
        }
        let error = await #expect(throws: StoreError.self) { try await store.audit.all(limit: 10) }
        #expect(error?.code == .corrupt)
        #expect(try await store.sessions.live(owner: StoreFixture.owner).isEmpty)
        #expect(try await store.flows.get("f", owner: StoreFixture.owner) == nil)
    }
}
