public import Administration
public import Attempts
public import Authority
public import AuthorityStore
public import Credentials
public import FlowModel
public import Flows
import Foundation
public import Logging
public import Moments
public import OAuth
public import Policies
public import TestSupport

/// An authority with a real store in a temporary folder, and a clock that the test sets.
///
/// Test suites build browsers, brokers and administrations on top of this fixture.
public struct AuthorityFixture: Sendable {
    /// The state folder and the clock of an authority.
    ///
    /// Several daemons can use the same place, at the same time or one after another.
    public struct Place: Sendable {
        /// The folder that contains the authority's files.
        public let folder: TemporaryFolder
        /// The clock that all daemons use by default.
        public let time = TestClock()

        /// Creates a place with a new temporary folder and a new clock.
        public init() throws {
            folder = try TemporaryFolder()
        }

        /// The path of the folder that contains the authority's stores.
        public var state: String { folder.path("state") }
    }

    /// The state folder and the clock of the authority.
    public let place: Place
    /// The clock of this daemon.
    public let clock: MomentClock
    /// This daemon's connection to the store.
    public let store: AuthorityStore
    /// The attempt limits, which are counted in the store.
    public let attempts: Attempts
    /// The authority under test.
    public let authority: Authority
    let catalogue: @Sendable () -> PolicyCatalogue
    let logger: Logger

    /// Creates a daemon with its own connection to the store.
    ///
    /// - Parameters:
    ///   - place: The state folder and the clock; new ones by default.
    ///   - clock: The daemon's clock; the place's clock by default.
    ///   - tenant: The daemon's tenant in the store.
    ///   - settings: The authority's configuration.
    ///   - catalogue: The policies and their checks.
    ///   - mails: The limits on emails.
    ///   - logger: The destination of the daemon's log.
    /// - Throws: An error if the store cannot be opened.
    public init(
        at place: Place? = nil,
        clock: MomentClock? = nil,
        tenant: String? = nil,
        settings: @escaping @Sendable () -> AuthoritySettings = { AuthorityFixture.settings() },
        catalogue: @escaping @Sendable () -> PolicyCatalogue = { PolicyCatalogue(policies: [], checks: []) },
        mails: MailLimits = MailLimits(),
        logger: Logger = AuthorityFixture.silent
    ) throws {
        let place = try place ?? Place()
        let clock = clock ?? place.time.clock
        self.place = place
        self.clock = clock
        self.catalogue = catalogue
        self.logger = logger
        store = try AuthorityStore.open(
            .init(directory: place.state, key: Self.key, tenant: tenant, clock: clock)
        )
        attempts = Attempts(store: store, mails: mails)
        authority = Authority(
            settings: settings,
            catalogue: catalogue,
            store: store,
            attempts: attempts,
            clock: clock,
            logger: logger
        )
    }

    /// Creates a flow engine that uses the store.
    public func flows(
        hasher: PasswordHasher? = nil,
        limits: FlowLimits = FlowLimits(),
        signUp: @escaping @Sendable () -> SignUpMode = { .open },
        codeInSubject: Bool = true,
        takesAddress: @escaping @Sendable (String) async -> Bool = { _ in true },
        providers: ProviderCalls? = nil,
        catalogue: (@Sendable () -> PolicyCatalogue)? = nil
    ) -> FlowDirectory {
        FlowDirectory(
            catalogue: catalogue ?? self.catalogue,
            store: store,
            attempts: attempts,
            hasher: hasher ?? PasswordHasher(parameters: Self.cheap),
            clock: clock,
            limits: limits,
            signUp: signUp,
            codeInSubject: codeInSubject,
            takesAddress: takesAddress,
            providers: providers,
            logger: logger
        )
    }

    /// Creates the administration that operators use, for the machine `m1`.
    public func administration(
        _ settings: AdministrationSettings = AdministrationSettings(daemonUID: 0, isPersonal: false),
        _ consequences: AdministrationCallbacks = AdministrationCallbacks(
            changed: {},
            userLeft: { _ in },
            userChanged: { _ in },
            mailQueued: {}
        )
    ) -> Administration {
        Administration(
            settings: { settings },
            authority: authority,
            store: store,
            attempts: attempts,
            clock: clock,
            machine: "m1",
            consequences: consequences
        )
    }

    /// Returns the names of the audit events of all users.
    public func events() async throws -> [String] { try await store.audit.all(limit: 1000).map(\.event) }

    // MARK: Configuration

    /// A logger that discards everything.
    public static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    /// The key that all stores use.
    public static let key = Secret(bytes: Data(repeating: 7, count: 32))
    /// Password hash parameters with almost no cost.
    package static let cheap = Argon2Parameters(memory: 64, passes: 1, lanes: 1)

    /// Creates the configuration of an authority with the tenant `local`.
    public static func settings(
        base: String = "http://localhost:8420",
        tenant: String = "local",
        apis: [ProtectedAPI] = [],
        clients: [OAuthClient] = [],
        policy: String = "b2c_1_sign_up_or_in"
    ) -> AuthoritySettings {
        AuthoritySettings(
            base: base,
            tenant: tenant,
            apis: apis,
            clients: clients,
            defaultPolicy: id(policy),
            refreshGrace: .seconds(10)
        )
    }

    /// Returns the two command-line clients, which may request tokens for these APIs.
    public static func commandLines(apis: [String]) -> [OAuthClient] {
        ["tokenbroker-cli", "tasks-cli"].map {
            OAuthClient(ClientSummary(client: $0, name: $0, configured: true), isFirstParty: true, apis: apis)
        }
    }

    /// Parses a policy's id, which must be valid.
    public static func id(_ policy: String) -> PolicyID {
        guard let id = try? PolicyID(policy) else { preconditionFailure("\(policy) is no policy's name") }
        return id
    }
}
