import Administration
import Authority
import AuthorityFixture
import AuthorityStore
import BrokerAPI
import FlowModel
import OAuth
import Testing

@testable import BrokerRPC

@Suite(.timeLimit(.minutes(1)))
struct OperatorMethodTests {
    private let fixture: AuthorityFixture
    private let administration: Administration
    private var store: AuthorityStore { fixture.store }

    init() throws {
        let settings = AuthorityFixture.settings(
            clients: [OAuthClient(ClientSummary(client: "app", name: "App", configured: true))]
        )
        fixture = try AuthorityFixture(settings: { settings })
        administration = fixture.administration()
    }

    private func run(
        uid: UInt32,
        _ method: (Administration) -> Method = { .operators(ClientList.self, of: $0) }
    ) async throws -> MethodResult {
        let caller = administration.caller(uid: uid, gid: uid, pid: 42, correlationID: .random())
        return try await method(administration).prepare([:])
            .run(Call(caller: caller, hello: nil, limits: SocketLimits()))
    }

    @Test("the permission is asked for before the parameters are looked at, and the audit names the call")
    func permissionFirst() async throws {
        let refusal = await #expect(throws: Refusal.self) {
            try await run(uid: 1000) { .operators(UserShow.self, of: $0) }
        }
        #expect(refusal?.reason == .notPermitted)
        let error = await #expect(throws: JSONRPCError.self) {
            try await run(uid: 0) { .operators(UserShow.self, of: $0) }
        }
        #expect(error?.code == JSONRPCError.Code.invalidParams)
        let events = try await store.audit.all(limit: 10)
        #expect(events.map(\.event) == ["operator.refused", "operator.permitted"])
        #expect(events.map { $0.detail["method"] } == ["user.show", "user.show"])
    }

    @Test("an operator's method is refused to anyone else before it is begun, and the audit names it") func refused()
        async throws
    {
        let refusal = await #expect(throws: Refusal.self) { try await run(uid: 1000) }
        #expect(refusal?.reason == .notPermitted)
        #expect(try await run(uid: 0).result["clients"]?.array?.count == 1)
        let events = try await store.audit.all(limit: 10)
        #expect(events.map(\.event) == ["operator.refused", "operator.permitted"])
        #expect(events.map { $0.detail["method"] } == ["client.list", "client.list"])
        #expect(events.map(\.uid) == [1000, 0])
    }
}
