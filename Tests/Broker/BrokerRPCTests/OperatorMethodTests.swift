import Administration
import Authority
import AuthorityFixture
import AuthorityStore
import Broker
import BrokerAPI
import FlowModel
import OAuth
import Testing

@testable import BrokerRPC

@Suite(.timeLimit(.minutes(1)))
struct OperatorMethodTests {
    private let fixture: AuthorityFixture
    private let administration: Administration
    private let broker: Broker
    private var store: AuthorityStore { fixture.store }

    init() throws {
        let settings = AuthorityFixture.settings(
            clients: [OAuthClient(ClientSummary(client: "app", name: "App", configured: true))]
        )
        fixture = try AuthorityFixture(settings: { settings })
        administration = fixture.administration()
        broker = fixture.broker(try fixture.cache())
    }

    private func run(uid: UInt32, _ name: String = "client.list") async throws -> MethodResult {
        let method = try #require(MethodTable.methods.first { $0.description.name == name })
        let caller = administration.caller(uid: uid, gid: uid, pid: 42, correlationID: .random())
        let call = Call(
            broker: broker,
            administration: administration,
            caller: caller,
            hello: nil,
            limits: SocketLimits()
        )
        return try await method.prepare([:]).run(call)
    }

    @Test("the permission is checked before the parameters, and the audit names the call")
    func permissionFirst() async throws {
        let refusal = await #expect(throws: Refusal.self) {
            try await run(uid: 1000, "user.show")
        }
        #expect(refusal?.reason == .notPermitted)
        let error = await #expect(throws: JSONRPCError.self) {
            try await run(uid: 0, "user.show")
        }
        #expect(error?.code == JSONRPCError.Code.invalidParams)
        let events = try await store.audit.all(limit: 10)
        #expect(events.map(\.event) == ["operator.refused", "operator.permitted"])
        #expect(events.map { $0.detail["method"] } == ["user.show", "user.show"])
    }

    @Test("an operator method is refused to other callers before it begins, and the audit names it") func refused()
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
