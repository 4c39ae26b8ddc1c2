import Authority
import AuthorityFixture
import AuthorityStore
import FlowModel
import OAuth
import Policies
import Synchronization
import TestSupport

@testable import Administration

/// An authority in a temporary folder, with the administration that the tests call.
final class Office: Sendable {
    private let fixture: AuthorityFixture
    let administration: Administration
    /// Records the callbacks that were invoked, in order.
    let consequences: Journal

    var time: TestClock { fixture.place.time }
    var store: AuthorityStore { fixture.store }
    var authority: Authority { fixture.authority }

    final class Journal: Sendable {
        private let list = Mutex<[String]>([])

        var names: [String] { list.withLock { $0 } }

        func add(_ name: String) { list.withLock { $0.append(name) } }
    }

    init(
        settings: AdministrationSettings = .init(daemonUID: 0, isPersonal: false),
        takesAddress: @escaping @Sendable (String) async -> Bool = { _ in true }
    ) async throws {
        fixture = try Self.fixture()
        let consequences = Journal()
        self.consequences = consequences
        administration = fixture.administration(
            settings,
            AdministrationCallbacks(
                changed: { consequences.add("changed") },
                userLeft: { consequences.add("left \($0)") },
                userChanged: { consequences.add("changed \($0)") },
                mailQueued: { consequences.add("mail") },
                takesAddress: takesAddress
            )
        )
        try await authority.start()
    }

    /// Returns an operator that acts as root.
    func root() async throws -> Operator { try await administration.permit("test", caller(0)) }

    func caller(_ uid: UInt32) -> Caller {
        administration.caller(uid: uid, gid: uid, pid: 42, correlationID: .random())
    }

    /// Creates a second daemon of the same authority, with its own memory and database connection.
    func secondDaemon() throws -> Authority { try Self.fixture(at: fixture.place).authority }

    func events() async throws -> [String] { try await fixture.events() }

    private static func fixture(at place: AuthorityFixture.Place? = nil) throws -> AuthorityFixture {
        let tasks = ProtectedAPI(
            name: "tasks",
            audience: "tasks",
            scopes: ["tasks.read": "Read", "tasks.write": "Write"]
        )
        let settings = AuthorityFixture.settings(
            apis: [tasks],
            clients: AuthorityFixture.commandLines(apis: ["tasks"])
        )
        let check = Check(name: "UserLogin", type: .password)
        let catalogue = PolicyCatalogue(policies: [policy], checks: [check], order: ["UserLogin"])
        return try AuthorityFixture(at: place, settings: { settings }, catalogue: { catalogue })
    }

    private static var policy: Policy {
        let check = Check(name: "UserLogin", type: .password)
        return Policy(
            id: AuthorityFixture.id("b2c_1_sign_up_or_in"),
            kind: .signUpOrSignIn,
            claims: [ClaimRule("oid")],
            scopes: ["tasks.read": [], "tasks.write": []],
            checks: ["UserLogin": check]
        )
    }
}
