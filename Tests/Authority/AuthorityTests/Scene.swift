import Attempts
import AuthorityStore
import Crypto
import FlowModel
import Foundation
import Logging
import Moments
import OAuth
import Policies
import Synchronization
import TestSupport
import Tokens

@testable import Authority

/// An authority over a real store in a temporary folder, with people who can sign in without a flow engine.
final class Scene: Sendable {
    let folder: TemporaryFolder
    let time = TestClock()
    let store: AuthorityStore
    let authority: Authority
    let owner = Owner.local(machine: "m1", uid: 1000)
    private let catalogueBox: Mutex<PolicyCatalogue>
    private let settingsBox: Mutex<AuthoritySettings>

    init(catalogue: PolicyCatalogue = Scene.catalogue(), settings: AuthoritySettings = Scene.settings()) async throws {
        folder = try TemporaryFolder()
        store = try AuthorityStore.open(
            .init(directory: folder.path("state"), key: Self.key, clock: time.clock)
        )
        catalogueBox = Mutex(catalogue)
        settingsBox = Mutex(settings)
        authority = Self.authority(store, catalogue: { catalogue }, settings: { settings }, time.clock)
        try await authority.start()
    }

    /// Another daemon of the same authority: its own memory over a connection of its own.
    func secondDaemon(
        clock: MomentClock? = nil,
        catalogue: PolicyCatalogue? = nil,
        settings: AuthoritySettings? = nil
    ) throws -> Authority {
        let second = try AuthorityStore.open(
            .init(directory: folder.path("state"), key: Self.key, clock: clock ?? time.clock)
        )
        let catalogue = catalogue ?? catalogueBox.withLock { $0 }
        let settings = settings ?? settingsBox.withLock { $0 }
        return Self.authority(second, catalogue: { catalogue }, settings: { settings }, clock ?? time.clock)
    }

    var caller: Caller { Caller(owner: owner, pid: 42) }

    func caller(uid: UInt32, machine: String = "m1") -> Caller {
        Caller(owner: Owner.local(machine: machine, uid: uid))
    }

    // MARK: People

    static let user = UserID(oid: "0a1b2c3d-0000-4000-8000-000000000001")

    /// Somebody who signed up with a password and a code, and so has a session.
    @discardableResult
    func signUp(
        _ user: UserID = Scene.user,
        name: String = "ada@example.org",
        policy: String = "b2c_1_sign_up_or_in",
        client: String = "tokenbroker-cli",
        scope: SessionScope = .tenant,
        proofs: [Proof]? = nil,
        uid: UInt32 = 1000,
        pending: PendingRequest? = nil,
        consented: Bool = false
    ) async throws -> SessionRow {
        let record = UserRecord(
            id: user,
            signInNames: [SignInName(.email, name)],
            attributes: ["displayName": "Ada", "city": "London"],
            createdAt: time.now.wall
        )
        return try await finish(
            record,
            isNew: true,
            policy,
            client,
            scope,
            proofs ?? [password(), code()],
            uid,
            pending,
            consented
        )
    }

    /// The same person proves something again.
    @discardableResult
    func signIn(
        _ user: UserID = Scene.user,
        policy: String = "b2c_1_sign_up_or_in",
        client: String = "tokenbroker-cli",
        proofs: [Proof]? = nil,
        uid: UInt32 = 1000,
        pending: PendingRequest? = nil,
        consented: Bool = false
    ) async throws -> SessionRow {
        let record = UserRecord(id: user, signInNames: [], createdAt: 0)
        return try await finish(
            record,
            isNew: false,
            policy,
            client,
            .tenant,
            proofs ?? [password()],
            uid,
            pending,
            consented
        )
    }

    func password() -> Proof {
        Proof(check: "UserLogin", credential: .password, at: time.now.wall, acr: "1", amr: ["pwd"])
    }

    func code() -> Proof {
        Proof(check: "EmailCode", credential: .email, at: time.now.wall, acr: "2", amr: ["otp"])
    }

    private func finish(
        _ user: UserRecord,
        isNew: Bool,
        _ policy: String,
        _ client: String,
        _ scope: SessionScope,
        _ proofs: [Proof],
        _ uid: UInt32,
        _ pending: PendingRequest?,
        _ consented: Bool
    ) async throws -> SessionRow {
        let owner = Owner.local(machine: "m1", uid: uid)
        let row = { (rev: Int, open: Bool, id: String) in
            FlowRow(
                idHash: id,
                owner: owner,
                client: client,
                policy: policy,
                state: Data("{}".utf8),
                rev: rev,
                isOpen: open,
                createdAt: self.time.now.wall,
                expires: Deadline(.seconds(900), after: self.time.now),
                keptUntil: Deadline(.seconds(1020), after: self.time.now)
            )
        }
        let id = CorrelationID.random().description
        _ = try await store.flows.open(row(1, true, id), pending: pending)
        let session = SessionRow(
            id: CorrelationID.random().description,
            owner: owner,
            user: user.id,
            proofs: proofs,
            policy: policy,
            client: client,
            scope: scope,
            createdAt: time.now.wall,
            ends: Deadline(.seconds(86400), after: time.now),
            absoluteEnd: Deadline(.seconds(7_776_000), after: time.now)
        )
        let authentication = Authentication(user: user.id, proofs: proofs, consented: consented, isNewUser: isNew)
        try await store.flows.finish(
            FlowCommit(
                flow: row(2, false, id),
                expectedRev: 1,
                authentication: authentication,
                newUser: isNew ? user : nil,
                pendingRequest: pending?.id,
                session: session
            )
        )
        return session
    }

    /// Events of everybody, by name.
    func events() async throws -> [String] {
        try await store.audit.all(limit: 1000).map(\.event)
    }

    /// What an access token says, verified against the published keys.
    func claims(_ issued: IssuedTokens, type: TokenType = .accessToken) async throws -> [String: JSONValue] {
        let keys = try JWKSet.parse(try await authority.issuers.jwks())
        let token = type == .accessToken ? issued.accessToken : issued.idToken
        return try JWTVerifier.verify(
            token.reveal(),
            keys: { keys.key(kid: $0) },
            expected: Expectations(
                type: type,
                issuer: issued.issuer,
                audiences: [type == .accessToken ? issued.audience : issued.client],
                now: time.now
            )
        ).claims
    }

    // MARK: What is configured

    static let key = Secret(bytes: Data(repeating: 7, count: 32))

    static func settings(clients: [OAuthClient] = []) -> AuthoritySettings {
        let tasks = ProtectedAPI(
            name: "tasks",
            audience: "tasks-audience",
            scopes: [
                "tasks.read": "Read your tasks", "tasks.write": "Change your tasks", "shared": "Share",
                "accessRestricted": "See your balance", "ghost": "Ask a check that is not there",
            ]
        )
        let notes = ProtectedAPI(name: "notes", audience: "notes", scopes: ["notes.read": "Read", "shared": "Share"])
        let own = ["tokenbroker-cli", "tasks-cli"].map {
            OAuthClient(
                ClientSummary(client: $0, name: $0, configured: true),
                isFirstParty: true,
                apis: ["tasks", "notes"]
            )
        }
        return AuthoritySettings(
            base: "http://localhost:8420",
            tenant: "local",
            apis: [tasks, notes],
            clients: own + clients,
            defaultPolicy: id("b2c_1_sign_up_or_in")
        )
    }

    static func catalogue(
        session: SessionRule = SessionRule(),
        signInExpires: Duration? = nil,
        extra: [Policy] = []
    ) -> PolicyCatalogue {
        let checks = [
            Check(name: "UserLogin", type: .password, successStateExpiration: signInExpires),
            Check(name: "EmailCode", type: .emailCode, successStateExpiration: .seconds(60), acr: "2"),
        ]
        let scopes: [String: [String]] = [
            "tasks.read": [], "tasks.write": [], "shared": [], "notes.read": [], "accessRestricted": ["EmailCode"],
            "ghost": ["PinCodeAttempts"],
        ]
        let policies = ["b2c_1_sign_up_or_in": PolicyKind.signUpOrSignIn, "b2c_1_sign_in": .signIn].map { name, kind in
            Policy(
                id: id(name),
                kind: kind,
                claims: [
                    ClaimRule("oid"), ClaimRule("displayName"), ClaimRule("email"), ClaimRule("city", as: "town"),
                    ClaimRule("newUser"), ClaimRule("isForgotPassword"),
                ],
                session: session,
                scopes: scopes,
                checks: Dictionary(checks.map { ($0.name, $0) }) { first, _ in first }
            )
        }
        return PolicyCatalogue(
            policies: policies + extra,
            checks: checks,
            order: ["UserLogin", "EmailCode"],
            unavailable: [
                id("b2c_1_facebook"): .init(kind: "social", displayName: "Facebook", missing: "configure facebook")
            ]
        )
    }

    static func id(_ name: String) -> PolicyID {
        guard let id = try? PolicyID(name) else { preconditionFailure("\(name) is no policy's name") }
        return id
    }

    private static func authority(
        _ store: AuthorityStore,
        catalogue: @escaping @Sendable () -> PolicyCatalogue,
        settings: @escaping @Sendable () -> AuthoritySettings,
        _ clock: MomentClock
    ) -> Authority {
        Authority(
            settings: settings,
            catalogue: catalogue,
            store: store,
            attempts: Attempts(store: store),
            clock: clock,
            logger: Logger(label: "test")
        )
    }
}

extension TokenRequest {
    init(_ scopes: String..., change: (inout TokenRequest) -> Void = { _ in }) {
        self.init(scopes: scopes)
        change(&self)
    }
}

extension Decision {
    var session: String? {
        if case .satisfied(let session, _) = self { session } else { nil }
    }

    var lacking: (Requirement, PendingRequest)? {
        if case .lacking(let requirement, let pending) = self { (requirement, pending) } else { nil }
    }
}
