import AuthorityFixture
import AuthorityStore
import FlowModel
import Moments
import OAuth
import TestSupport
import Tokens

@testable import Authority
@testable import Policies

/// An authority in a temporary folder, whose users sign in without the flow engine.
final class Scene: Sendable {
    private let fixture: AuthorityFixture
    let owner = Owner.local(machine: "m1", uid: 1000)
    private let catalogue: PolicyCatalogue
    private let settings: AuthoritySettings

    var time: TestClock { fixture.place.time }
    var store: AuthorityStore { fixture.store }
    var authority: Authority { fixture.authority }

    init(catalogue: PolicyCatalogue = Scene.catalogue(), settings: AuthoritySettings = Scene.settings()) async throws {
        fixture = try AuthorityFixture(settings: { settings }, catalogue: { catalogue })
        self.catalogue = catalogue
        self.settings = settings
        try await authority.start()
    }

    /// Creates a second daemon of the same authority, with its own memory and database connection.
    func secondDaemon(
        clock: MomentClock? = nil,
        catalogue: PolicyCatalogue? = nil,
        settings: AuthoritySettings? = nil
    ) throws -> Authority {
        let (catalogue, settings) = (catalogue ?? self.catalogue, settings ?? self.settings)
        return try AuthorityFixture(
            at: fixture.place,
            clock: clock,
            settings: { settings },
            catalogue: { catalogue }
        ).authority
    }

    var caller: Caller { Caller(owner: owner, pid: 42) }

    func caller(uid: UInt32, machine: String = "m1") -> Caller {
        Caller(owner: Owner.local(machine: machine, uid: uid))
    }

    // MARK: Users

    static let user = UserID(oid: "0a1b2c3d-0000-4000-8000-000000000001")

    /// Creates a user with a session, as if the user had signed up with a password and an emailed code.
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
        try await fixture.signedIn(
            user,
            making: fixture.ada(user, name: name),
            owner: Owner.local(machine: "m1", uid: uid),
            proofs: proofs ?? [password(), code()],
            policy: policy,
            client: client,
            scope: scope,
            pending: pending,
            consented: consented,
            isNewUser: true
        )
    }

    /// Creates another session for a user, as if the user had signed in again.
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
        try await fixture.signedIn(
            user,
            owner: Owner.local(machine: "m1", uid: uid),
            proofs: proofs ?? [password()],
            policy: policy,
            client: client,
            pending: pending,
            consented: consented
        )
    }

    func password() -> Proof { fixture.password() }

    func code() -> Proof { fixture.code() }

    func events() async throws -> [String] { try await fixture.events() }

    /// Verifies an access token or an ID token with the published keys, and returns its claims.
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

    // MARK: Configuration

    /// Returns the configuration of two APIs, where `defaultScopes` are those of the API `tasks`.
    static func settings(clients: [OAuthClient] = [], defaultScopes: [String] = []) -> AuthoritySettings {
        let tasks = ProtectedAPI(
            name: "tasks",
            audience: "tasks-audience",
            scopes: [
                "tasks.read": "Read your tasks", "tasks.write": "Change your tasks", "shared": "Share",
                "accessRestricted": "See your balance", "ghost": "Ask a check that is not there",
            ],
            defaultScopes: defaultScopes
        )
        let notes = ProtectedAPI(name: "notes", audience: "notes", scopes: ["notes.read": "Read", "shared": "Share"])
        return AuthorityFixture.settings(
            apis: [tasks, notes],
            clients: AuthorityFixture.commandLines(apis: ["tasks", "notes"]) + clients
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
                id("b2c_1_facebook"): .init(
                    kind: "social",
                    displayName: "Facebook",
                    missing: Text(exactly: "configure facebook")
                )
            ]
        )
    }

    static func id(_ name: String) -> PolicyID { AuthorityFixture.id(name) }
}

extension TokenRequest {
    init(_ scopes: String..., change: (inout TokenRequest) -> Void = { _ in }) {
        self.init(scopes: scopes)
        change(&self)
    }

    /// Returns a request as a client sends it over HTTP without `scope`.
    static func unscoped(change: (inout TokenRequest) -> Void = { _ in }) -> TokenRequest {
        var request = TokenRequest(scopes: [])
        request.omittedScope = .apiDefaults
        change(&request)
        return request
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
