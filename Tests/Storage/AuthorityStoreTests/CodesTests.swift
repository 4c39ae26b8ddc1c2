import FlowModel
import Foundation
import OAuth
import Storage
import TestSupport
import Testing

@testable import AuthorityStore

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct CodesTests {
    private let fixture: StoreFixture
    private let user: UserRecord

    init() async throws {
        fixture = try StoreFixture()
        user = fixture.user("u", "ada@example.org")
        try await fixture.signedIn(user)
        try await fixture.store.grants.issue(
            TokenIssue(
                source: .authentication(requestID: "r"),
                owner: StoreFixture.owner,
                user: user.id,
                expectedEpoch: try await fixture.store.epoch(),
                product: .code(fixture.code("c", user.id)),
                consented: ["tasks/read"]
            )
        )
    }

    private func redeem(_ family: String, at store: AuthorityStore? = nil) async throws -> CodeRedemption {
        let store = store ?? fixture.store
        let code = try #require(try await store.codes.get("c"))
        return try await store.codes.redeem(
            code,
            family: fixture.family(family, user.id),
            expectedEpoch: try await store.epoch(),
            events: [fixture.event(.tokenIssued)],
            correlationID: .random()
        )
    }

    @Test("a code is created with its consent in the transaction that uses up the authentication") func made()
        async throws
    {
        #expect(try await fixture.store.codes.get("c") == fixture.code("c", user.id))
        #expect(try await fixture.store.consents.has(user: user.id, client: "tasks", scopes: ["tasks/read"]))
        let again = await #expect(throws: StoreError.self) {
            try await fixture.store.requests.peek("r", owner: StoreFixture.owner)
        }
        #expect(again?.code == .consumed)
    }

    @Test("no code is created from a used authentication, and nothing is used up if no code can be created")
    func oneTransaction() async throws {
        let second = await #expect(throws: StoreError.self) {
            try await fixture.store.grants.issue(
                TokenIssue(
                    source: .authentication(requestID: "r"),
                    owner: StoreFixture.owner,
                    user: user.id,
                    expectedEpoch: try await fixture.store.epoch(),
                    product: .code(fixture.code("d", user.id))
                )
            )
        }
        #expect(second?.code == .consumed)
        #expect(try await fixture.store.codes.get("d") == nil)
    }

    @Test("the second use of a code returns nothing and revokes the family of the first") func secondUse() async throws
    {
        #expect(try await redeem("first") == .redeemed)
        #expect(try await fixture.store.families.get("first")?.revokedAt == nil)
        #expect(try await redeem("second") == .refused(.reused))
        #expect(try await fixture.store.families.get("first")?.revokedReason == "code_reused")
        #expect(try await fixture.store.families.get("second") == nil)
        #expect(try await redeem("third") == .refused(.reused))
        let killed = try await fixture.store.audit.all(limit: 100).filter {
            $0.event == AuditKind.familyRevoked.rawValue
        }
        #expect(killed.count == 1)
    }

    @Test("of twelve redemptions at two stores of one database one succeeds, and its family is revoked")
    func twelve() async throws {
        let second = try AuthorityStore.open(StoreFixture.options(fixture.folder, fixture.clock))
        let results = try await withThrowingTaskGroup(of: CodeRedemption.self) { group in
            for number in 0..<12 {
                group.addTask { try await redeem("f\(number)", at: number.isMultiple(of: 2) ? second : fixture.store) }
            }
            return try await group.reduce(into: [CodeRedemption]()) { $0.append($1) }
        }
        #expect(results.filter { $0 == .redeemed }.count == 1)
        #expect(results.filter { $0 == .refused(.reused) }.count == 11)
        #expect(try await fixture.store.families.list(owner: StoreFixture.owner).isEmpty)
    }

    @Test("a code is invalid after 60 seconds, and deleted a day later") func ends() async throws {
        fixture.clock.advance(by: .seconds(60))
        #expect(try await redeem("late") == .refused(.expired))
        #expect(try await fixture.store.families.get("late") == nil)
        #expect(try await fixture.store.codes.sweep(limit: 10) == 0)
        fixture.clock.advance(by: .seconds(86_400))
        #expect(try await fixture.store.codes.sweep(limit: 10) == 1)
    }

    @Test("a sign-out deletes unused codes, at its owner only") func signOut() async throws {
        try await fixture.store.sessions.signOut(owner: StoreFixture.other, user: user.id)
        #expect(try await fixture.store.codes.get("c") != nil)
        try await fixture.store.sessions.signOut(owner: StoreFixture.owner, user: user.id)
        #expect(try await fixture.store.codes.get("c") == nil)
    }

    @Test("a code is invalid once its session has ended, in any way")
    func session() async throws {
        func give(_ hash: String) async throws {
            let issue = TokenIssue(
                source: .session(id: "s", prolongedUntil: nil),
                owner: StoreFixture.owner,
                user: user.id,
                expectedEpoch: try await fixture.store.epoch(),
                product: .code(fixture.code(hash, user.id, session: "s"))
            )
            try await fixture.store.grants.issue(issue)
        }
        func redeem(_ hash: String) async throws -> CodeRedemption {
            try await fixture.store.codes.redeem(
                try #require(try await fixture.store.codes.get(hash)),
                family: fixture.family("of \(hash)", user.id),
                expectedEpoch: try await fixture.store.epoch(),
                events: [],
                correlationID: .random()
            )
        }
        for hash in ["before", "after", "again"] { try await give(hash) }
        #expect(try await redeem("before") == .redeemed)
        // Every sign-in gives the browser a new cookie, under which the session continues.
        try await fixture.store.sessions.handOver([
            SessionHandOver(from: StoreFixture.owner, to: StoreFixture.other, of: user.id)
        ])
        #expect(try await redeem("again") == .redeemed)
        try await fixture.store.sessions.end(owner: StoreFixture.other, events: [])
        #expect(try await redeem("after") == .refused(.signedOut))
        #expect(try await fixture.store.families.get("of after") == nil)
        // A code that belongs to no session remains valid.
        #expect(try await redeem("c") == .redeemed)
    }

    @Test("withdrawing a consent also removes the client's grants that it has not fetched yet") func withdrawn()
        async throws
    {
        let store = fixture.store
        for (flow, request) in [("f1", "approves"), ("f2", "unused")] {
            _ = try await store.flows.open(fixture.flow(flow), pending: fixture.pending(request))
            try await store.flows.commit(
                FlowCommit(
                    flow: fixture.flow(flow, rev: 2, isOpen: false, user: user.id),
                    expectedRev: 1,
                    authentication: fixture.authentication(user.id),
                    pendingRequest: request
                )
            )
        }
        try await store.deviceCodes.add(fixture.device("d"), userCode: "BCDFGHJK", share: .client)
        try await store.grants.issue(
            TokenIssue(
                source: .authentication(requestID: "approves"),
                owner: StoreFixture.owner,
                user: user.id,
                expectedEpoch: try await store.epoch(),
                product: .device("d", client: "tasks", fixture.authentication(user.id))
            )
        )
        #expect(try await !store.users.withdraw(client: "other", of: user.id))
        #expect(try await store.requests.peek("unused", owner: StoreFixture.owner).request.client == "tasks")
        #expect(try await store.users.withdraw(client: "tasks", of: user.id))
        #expect(try await store.codes.get("c") == nil)
        let unmet = await #expect(throws: StoreError.self) {
            try await store.requests.peek("unused", owner: StoreFixture.owner)
        }
        #expect(unmet?.code == .notFound)
        let poll = try await store.deviceCodes.poll(
            "d",
            client: "tasks",
            policy: "b2c_1_sign_in",
            correlationID: .random()
        )
        #expect(poll == .unknown)
    }

    @Test("a disabled user gets nothing for a code") func disabled() async throws {
        try await fixture.store.users.setEnabled(user.id, false)
        #expect(try await fixture.store.codes.get("c") == nil)
    }

    @Test("the database contains neither the terms nor the proofs in plain text") func sealed() throws {
        try fixture.store.close()
        let bytes = try Data(contentsOf: URL(filePath: fixture.folder.path("state/authority.sqlite")))
        #expect(bytes.range(of: Data("terms planted".utf8)) == nil)
    }
}
