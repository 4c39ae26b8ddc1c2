public import Attempts
public import AuthorityStore
public import FlowModel
import Foundation
public import Logging
public import Moments
public import OAuth
public import Policies
import Storage
import StoreRefusals
public import Tokens

/// The authorization server without HTTP: who may have which token, and the tokens.
///
/// It names what a request lacks and consumes what a flow or a session has proved; it asks nobody anything.
public struct Authority: Sendable {
    /// The configuration of now, whenever it is asked.
    public let settings: @Sendable () -> AuthoritySettings
    /// The policies now.
    let catalogue: @Sendable () -> PolicyCatalogue
    let store: AuthorityStore
    let attempts: Attempts
    let clock: MomentClock
    let keyPolicy: KeyPolicy
    let logger: Logger
    let memory: AuthorityMemory

    /// An authority over one store.
    ///
    /// - Parameters:
    ///   - settings: What the configuration says, whenever it is asked.
    ///   - catalogue: The policies, whenever they are asked.
    ///   - store: The authority's database; other daemons may share it.
    ///   - attempts: The lockout rule.
    ///   - clock: What time it is.
    ///   - keyPolicy: When signing keys change.
    ///   - logger: Where to log.
    public init(
        settings: @escaping @Sendable () -> AuthoritySettings,
        catalogue: @escaping @Sendable () -> PolicyCatalogue,
        store: AuthorityStore,
        attempts: Attempts,
        clock: MomentClock,
        keyPolicy: KeyPolicy = KeyPolicy(),
        logger: Logger
    ) {
        self.settings = settings
        self.catalogue = catalogue
        self.store = store
        self.attempts = attempts
        self.clock = clock
        self.keyPolicy = keyPolicy
        self.logger = logger
        memory = AuthorityMemory(store: store, settings: settings, clock: clock)
    }

    /// Makes the first keys and does what is due; a signing key that cannot be read stops the start.
    public func start() async throws {
        try await keys.schedule()
    }

    /// The request with everything that is left to its policy.
    ///
    /// - Throws: `unknown_policy`, `unknown_client`, `scope_denied`, `unmet_authentication_requirements`.
    public func resolve(_ request: TokenRequest) async throws -> ResolvedRequest {
        try await Self.rows.storing {
            try AuthorizationEndpoint.resolve(
                request,
                settings: settings(),
                catalogue: catalogue(),
                clients: try await memory.snapshot().clients
            )
        }
    }

    /// Tokens for a flow that has ended with success; its authentication is used up by this.
    ///
    /// - Parameters:
    ///   - id: The pending request's id.
    ///   - caller: On whose behalf.
    /// - Returns: The tokens; nil if they were given before.
    /// - Throws: `interaction_required` if nothing was proved for the request, or too long ago.
    public func issue(pending id: String, _ caller: Caller) async throws -> IssuedTokens? {
        try await Self.rows.storing {
            do {
                return try await tokens.issue(AuthenticationGrant(pending: id), caller)
            } catch let error as StoreError where error.code == .consumed {
                return nil
            }
        }
    }

    /// Tokens for a live session that meets the request.
    public func issue(_ request: ResolvedRequest, session: String, _ caller: Caller) async throws -> IssuedTokens {
        try await Self.rows.storing { try await tokens.issue(SessionGrant(session: session, request: request), caller) }
    }

    /// Tokens for a refresh token: all that its family still gives, or what is asked for.
    ///
    /// - Throws: `interaction_required` when the family is dead or does not cover the request.
    public func redeem(
        _ refreshToken: Secret,
        client: String,
        request: ResolvedRequest? = nil,
        _ caller: Caller
    ) async throws -> IssuedTokens {
        try await Self.rows.storing {
            let grant = RefreshTokenGrant(token: refreshToken, client: client, request: request)
            return try await tokens.issue(grant, caller)
        }
    }

    /// Whether a refresh token would give what is asked; uses nothing up.
    public func covers(
        _ request: ResolvedRequest,
        by refreshToken: Secret,
        client: String,
        _ caller: Caller
    ) async throws -> Bool {
        try await Self.rows.storing {
            let grant = RefreshTokenGrant(token: refreshToken, client: client, request: request)
            let snapshot = try await memory.snapshot()
            let context = GrantContext(
                caller: caller,
                store: store,
                settings: settings(),
                catalogue: catalogue(),
                snapshot: snapshot,
                now: clock.now
            )
            return try await grant.covers(request, context)
        }
    }

    /// The signing keys.
    public var keys: SigningKeys {
        SigningKeys(store: store, memory: memory, settings: settings, policy: keyPolicy, clock: clock)
    }

    private var tokens: TokenEndpoint {
        TokenEndpoint(store: store, memory: memory, settings: settings, catalogue: catalogue, clock: clock)
    }
}
