import Administration
import Attempts
import Authority
import AuthorityStore
import BrokerAPI
import FlowModel
import Foundation
import Logging
import Moments
import OAuth
import Policies
import TestSupport
import Testing

@testable import BrokerRPC

@Suite(.timeLimit(.minutes(1)))
struct OperatorMethodTests {
    private let folder: TemporaryFolder
    private let store: AuthorityStore
    private let administration: Administration

    init() throws {
        folder = try TemporaryFolder()
        let clock = TestClock().clock
        let key = Secret(bytes: Data(repeating: 7, count: 32))
        store = try AuthorityStore.open(.init(directory: folder.path("state"), key: key, clock: clock))
        let settings = AuthoritySettings(
            base: "http://localhost:8420",
            tenant: "local",
            apis: [],
            clients: [OAuthClient(ClientSummary(client: "app", name: "App", configured: true))],
            defaultPolicy: try PolicyID("b2c_1_sign_in")
        )
        let catalogue = PolicyCatalogue(policies: [], checks: [], order: [])
        let attempts = Attempts(store: store)
        administration = Administration(
            settings: { AdministrationSettings(daemonUID: 0, isPersonal: false) },
            authority: Authority(
                settings: { settings },
                catalogue: { catalogue },
                store: store,
                attempts: attempts,
                clock: clock,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            ),
            store: store,
            attempts: attempts,
            clock: clock,
            machine: "m1",
            consequences: AdministrationCallbacks(
                changed: {},
                userLeft: { _ in },
                userChanged: { _ in },
                mailQueued: {}
            )
        )
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
