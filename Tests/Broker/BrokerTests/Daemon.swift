import Administration
import Authority
import AuthorityFixture
import AuthorityStore
import Credentials
import FlowModel
import Flows
import OAuth
import Policies
import Synchronization
import TestSupport
import TokenCache

@testable import Broker

/// The state folder and the clock of a daemon, which a later daemon can use again.
struct Place: Sendable {
    fileprivate let authority: AuthorityFixture.Place
    var folder: TemporaryFolder { authority.folder }
    var time: TestClock { authority.time }

    init() throws {
        authority = try AuthorityFixture.Place()
    }
}

/// Vault keys that are stored in memory.
final class Kept: Sendable {
    let keys = Mutex<[UInt32: VaultKey]>([:])
}

/// A broker daemon in the test process, with an authority and a token cache.
///
/// Several daemons can use the same ``Place``, at the same time or one after another.
final class Daemon: Sendable {
    private let fixture: AuthorityFixture
    let cache: TokenCache
    let flows: FlowDirectory
    let broker: Broker
    let administration: Administration
    /// The keys of unlocked caches, as the service manager stores them.
    let kept = Kept()

    var folder: TemporaryFolder { fixture.place.folder }
    var time: TestClock { fixture.place.time }
    var store: AuthorityStore { fixture.store }
    var authority: Authority { fixture.authority }

    /// Starts a daemon in a new place, or in a place that another daemon has used or still uses.
    ///
    /// - Parameters:
    ///   - place: The state folder and the clock.
    ///   - cacheFile: The name of the cache. A different name simulates another machine that uses the same authority.
    ///   - settings: The settings of the administration.
    ///   - authorities: The configured external authorities.
    ///   - catalogue: The policies and their checks.
    /// - Throws: An error if the daemon cannot start.
    init(
        in place: Place? = nil,
        cacheFile: String = "cache",
        settings: AdministrationSettings = Daemon.settings(),
        authorities: [String: OutsideAuthority] = [:],
        catalogue: PolicyCatalogue = Daemon.catalogue
    ) async throws {
        let fixture = try AuthorityFixture(
            at: place?.authority,
            settings: { Self.authoritySettings },
            catalogue: { catalogue }
        )
        self.fixture = fixture
        cache = try fixture.cache(in: cacheFile)
        flows = fixture.flows()
        broker = fixture.broker(
            cache,
            flows: flows,
            settings: { BrokerSettings(settings, authorities) },
            keep: { [kept] key in kept.keys.withLock { $0[key.uid] = key } },
            forget: { [kept] uid in kept.keys.withLock { $0[uid] = nil } }
        )
        administration = fixture.administration(
            settings,
            AdministrationCallbacks(
                changed: { [broker] in broker.changed() },
                userLeft: { [broker] in await broker.userLeft($0) },
                userChanged: { [broker] in await broker.userChanged($0) },
                mailQueued: {}
            )
        )
        try await authority.start()
        try await broker.start()
    }

    func caller(_ uid: UInt32 = 1000) -> Caller {
        administration.caller(uid: uid, gid: uid, pid: 42, correlationID: .random())
    }

    /// Returns the audit events of a uid.
    func ownEvents(since: Int64 = 0, uid: UInt32 = 1000) async throws -> [AuditRecord] {
        try await broker.authority.events(of: caller(uid).owner, since: since, limit: 100)
    }

    /// Returns an operator that acts as root.
    func root() async throws -> Operator { try await administration.permit("test", caller(0)) }

    // MARK: User actions

    /// Signs up through `token.acquire` and returns the token.
    @discardableResult
    func signUp(_ email: String = "ada@example.org", uid: UInt32 = 1000) async throws -> AcquiredToken {
        var request = AcquireRequest(scopes: ["tasks.read"])
        request.prompt = .create
        let flow = try await self.flow(request, uid: uid)
        return try await unwrap(answer(flow, email: email, uid: uid).token)
    }

    /// Requests a token, and returns the flow that the request starts or joins.
    func flow(_ request: AcquireRequest, uid: UInt32 = 1000) async throws -> Flow {
        guard case .flow(let flow, _) = try await broker.tokens.acquire(request, caller: caller(uid)) else {
            throw Refusal(.storageFailed, Text(exactly: "a token came where a flow should"))
        }
        return flow
    }

    /// Requests a token that needs no prompt, and returns the token.
    func token(_ request: AcquireRequest, uid: UInt32 = 1000) async throws -> AcquiredToken {
        try await reusable(request, uid: uid).token
    }

    /// Requests a token that needs no prompt, and returns the token and how long the response can be reused.
    func reusable(
        _ request: AcquireRequest,
        uid: UInt32 = 1000
    ) async throws -> (token: AcquiredToken, reuse: AcquireAnswer.Reuse) {
        guard case .token(let token, let reuse) = try await broker.tokens.acquire(request, caller: caller(uid)) else {
            throw Refusal(.storageFailed, Text(exactly: "a flow came where a token should"))
        }
        return (token, reuse)
    }

    func token(_ scopes: String..., uid: UInt32 = 1000) async throws -> AcquiredToken {
        try await token(AcquireRequest(scopes: scopes), uid: uid)
    }

    /// Answers all steps of a flow as the user would, and returns the result.
    func answer(
        _ flow: Flow,
        email: String = "ada@example.org",
        password: String = Daemon.password,
        remembers: Bool? = nil,
        uid: UInt32 = 1000
    ) async throws -> FlowProgress {
        var flow = flow
        for _ in 0..<8 {
            let step = try await unwrap(flow.step)
            let answers: [String: JSONValue] =
                switch step.type {
                case .attributes:
                    ["email": .string(email), "displayName": "Ada", "password": .string(password)]
                case .password:
                    ["username": .string(email), "password": .string(password)].merging(
                        remembers.map { ["rememberMe": .bool($0)] } ?? [:]
                    ) { $1 }
                case .code: ["code": .string(try await code())]
                case .identifier: ["username": .string(email)]
                case .consent: ["consent": true]
                default: [:]
                }
            let answer = try await broker.flows.submit(
                FlowSubmission(flow: flow.id, step: step.id, submissionID: step.id, answers: answers),
                caller: caller(uid)
            )
            if answer.flow.state.isTerminal || answer.verdict == .rejected { return answer }
            flow = answer.flow
        }
        throw Refusal(.storageFailed, Text(exactly: "the flow has no end"))
    }

    /// Returns the code from the newest email.
    func code() async throws -> String {
        let mails = try await store.outbox.take(limit: 10, lease: .seconds(3600))
        let line = mails.last?.mail.body.reveal().split(separator: "\n").first { $0.count == 6 && Int($0) != nil }
        return String(try await unwrap(line))
    }

    /// Returns the names of the audit events of all users.
    func events() async throws -> [String] { try await fixture.events() }

    private func unwrap<T: Sendable>(_ value: T?) async throws -> T {
        guard let value else { throw Refusal(.storageFailed, Text(exactly: "something is missing")) }
        return value
    }

    // MARK: Configuration

    static let password = "Correct-Horse-7"

    static func settings(personal: Bool = false, daemonUID: UInt32 = 0) -> AdministrationSettings {
        AdministrationSettings(
            operatorUIDs: [0],
            operatorGIDs: [27],
            daemonUID: daemonUID,
            isPersonal: personal
        )
    }

    static let authoritySettings = AuthorityFixture.settings(
        apis: [
            ProtectedAPI(
                name: "tasks",
                audience: "tasks",
                scopes: ["tasks.read": "Read", "tasks.write": "Write", "tasks.share": "Share"]
            )
        ],
        clients: AuthorityFixture.commandLines(apis: ["tasks"])
            + [OAuthClient(ClientSummary(client: "other", name: "other", configured: true), apis: ["tasks"])]
    )

    static let catalogue = catalogue(password: Check(name: "UserLogin", type: .password))

    /// Creates the policies and their checks, with `password` as the password check.
    static func catalogue(password: Check) -> PolicyCatalogue {
        let checks = [
            password,
            Check(name: "EmailCode", type: .emailCode, successStateExpiration: .seconds(60), acr: "2"),
        ]
        let kinds: [String: PolicyKind] = [
            "b2c_1_sign_up_or_in": .signUpOrSignIn, "b2c_1_sign_in": .signIn, "b2c_1_sign_up": .signUp,
        ]
        let policies = kinds.map { name, kind in
            Policy(
                id: policy(name),
                kind: kind,
                attributes: [
                    AttributeRule(name: "email", kind: .email, required: true, verify: true),
                    AttributeRule(name: "displayName", required: true),
                ],
                claims: [ClaimRule("oid"), ClaimRule("displayName"), ClaimRule("email")],
                scopes: ["tasks.read": [], "tasks.write": [], "tasks.share": ["EmailCode"]],
                checks: Dictionary(checks.map { ($0.name, $0) }) { first, _ in first }
            )
        }
        return PolicyCatalogue(policies: policies, checks: checks, order: ["UserLogin", "EmailCode"])
    }

    static func policy(_ name: String) -> PolicyID { AuthorityFixture.id(name) }
}

extension AcquireRequest {
    init(_ scopes: String..., change: (inout AcquireRequest) -> Void = { _ in }) {
        self.init(scopes: scopes)
        change(&self)
    }
}

extension BrokerSettings {
    fileprivate init(_ settings: AdministrationSettings, _ authorities: [String: OutsideAuthority]) {
        self.init(
            version: "1.2.3",
            defaultPolicy: Daemon.policy("b2c_1_sign_up_or_in"),
            isSignUpClosed: settings.isSignUpClosed,
            authorities: authorities
        )
    }
}
