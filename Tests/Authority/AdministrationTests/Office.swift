import Attempts
import Authority
import AuthorityStore
import FlowModel
import Foundation
import Logging
import Moments
import OAuth
import Policies
import Synchronization
import TestSupport

@testable import Administration

/// An administration over a real store in a temporary folder.
final class Office: Sendable {
    let folder: TemporaryFolder
    let time = TestClock()
    let store: AuthorityStore
    let authority: Authority
    let administration: Administration
    /// The consequences that were called for, in order.
    let consequences: Journal

    /// The names of consequences.
    final class Journal: Sendable {
        private let list = Mutex<[String]>([])

        var names: [String] { list.withLock { $0 } }

        func add(_ name: String) { list.withLock { $0.append(name) } }
    }

    init(settings: AdministrationSettings = .init(daemonUID: 0, isPersonal: false)) async throws {
        folder = try TemporaryFolder()
        store = try AuthorityStore.open(.init(directory: folder.path("state"), key: Self.key, clock: time.clock))
        authority = Self.authority(store, time.clock)
        let consequences = Journal()
        self.consequences = consequences
        administration = Administration(
            settings: { settings },
            authority: authority,
            store: store,
            attempts: Attempts(store: store),
            clock: time.clock,
            machine: "m1",
            consequences: AdministrationCallbacks(
                changed: { consequences.add("changed") },
                userLeft: { consequences.add("left \($0)") },
                userChanged: { consequences.add("changed \($0)") },
                mailQueued: { consequences.add("mail") }
            )
        )
        try await authority.start()
    }

    /// Root, whose call is permitted.
    func root() async throws -> Operator { try await administration.permit("test", caller(0)) }

    func caller(_ uid: UInt32) -> Caller {
        administration.caller(uid: uid, gid: uid, pid: 42, correlationID: .random())
    }

    /// Another daemon of the same authority: its own memory over a connection of its own.
    func secondDaemon() throws -> Authority {
        Self.authority(
            try AuthorityStore.open(.init(directory: folder.path("state"), key: Self.key, clock: time.clock)),
            time.clock
        )
    }

    /// Events of everybody, by name.
    func events() async throws -> [String] { try await store.audit.all(limit: 1000).map(\.event) }

    private static let key = Secret(bytes: Data(repeating: 7, count: 32))

    private static func authority(_ store: AuthorityStore, _ clock: MomentClock) -> Authority {
        let policy = policy
        let own = ["tokenbroker-cli", "tasks-cli"].map {
            OAuthClient(
                ClientSummary(client: $0, name: $0, configured: true),
                isFirstParty: true,
                apis: ["tasks"]
            )
        }
        let settings = AuthoritySettings(
            base: "http://localhost:8420",
            tenant: "local",
            apis: [
                ProtectedAPI(name: "tasks", audience: "tasks", scopes: ["tasks.read": "Read", "tasks.write": "Write"])
            ],
            clients: own,
            defaultPolicy: policy.id
        )
        let check = Check(name: "UserLogin", type: .password)
        let catalogue = PolicyCatalogue(policies: [policy], checks: [check], order: ["UserLogin"])
        return Authority(
            settings: { settings },
            catalogue: { catalogue },
            store: store,
            attempts: Attempts(store: store),
            clock: clock,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    private static var policy: Policy {
        guard let id = try? PolicyID("b2c_1_sign_up_or_in") else { preconditionFailure("a policy's name") }
        let check = Check(name: "UserLogin", type: .password)
        return Policy(
            id: id,
            kind: .signUpOrSignIn,
            claims: [ClaimRule("oid")],
            scopes: ["tasks.read": [], "tasks.write": []],
            checks: ["UserLogin": check]
        )
    }
}
