public import Attempts
public import AuthorityStore
public import FlowModel
import Foundation
public import Logging
import Metrics
public import Moments
public import OAuth
public import Policies
import Storage
import StoreRefusals

/// The authorization server, which evaluates token requests and issues tokens.
///
/// It neither depends on HTTP nor prompts users, but determines which checks a flow must still run for a request.
public final class Authority: Sendable {
    /// Returns the current configuration.
    public let settings: @Sendable () -> AuthoritySettings
    let catalogue: @Sendable () -> PolicyCatalogue
    let store: AuthorityStore
    let attempts: Attempts
    let clock: MomentClock
    let enrichment: Enrichment?
    let logger: Logger
    let memory: AuthorityMemory
    let clientFailures = ClientFailures()
    let documents = IssuerDocuments()
    let clientTokens = Counter(label: "client_tokens")

    /// Creates an authority, which calls no connectors if `enrichment` is `nil`.
    public init(
        settings: @escaping @Sendable () -> AuthoritySettings,
        catalogue: @escaping @Sendable () -> PolicyCatalogue,
        store: AuthorityStore,
        attempts: Attempts,
        clock: MomentClock,
        enrichment: Enrichment? = nil,
        logger: Logger
    ) {
        self.settings = settings
        self.catalogue = catalogue
        self.store = store
        self.attempts = attempts
        self.clock = clock
        self.enrichment = enrichment
        self.logger = logger
        memory = AuthorityMemory(store: store, settings: settings, clock: clock)
    }

    /// Creates the first signing keys and performs due key changes, or throws if a stored key cannot be read.
    public func start() async throws {
        try await keys.schedule()
    }

    /// Checks a request, and fills in missing values with the requested policy's defaults.
    ///
    /// - Throws: `unknown_policy`, `unknown_client`, `scope_denied`, `interaction_required` or
    ///   `unmet_authentication_requirements`.
    public func resolve(_ request: TokenRequest) async throws -> ResolvedRequest {
        try await Self.rows.storing {
            try request.resolved(
                settings: settings(),
                catalogue: catalogue(),
                clients: try await memory.snapshot().clients
            )
        }
    }

    /// Issues the tokens for a successful flow, or returns `nil` if its authentication has already been consumed.
    ///
    /// - Throws: `interaction_required` if the request has no stored authentication, or one that is too old.
    public func issue(pending id: String, _ caller: Caller) async throws -> IssuedTokens? {
        try await Self.rows.storing {
            do {
                return try await tokens.issueProved(AuthenticationGrant(pending: id), caller)
            } catch let error as StoreError where error.code == .consumed {
                return nil
            }
        }
    }

    /// Issues tokens for a live session that satisfies the request.
    public func issue(_ request: ResolvedRequest, session: String, _ caller: Caller) async throws -> IssuedTokens {
        try await Self.rows.storing {
            try await tokens.issueProved(SessionGrant(session: session, request: request), caller)
        }
    }

    /// Redeems a refresh token for new tokens, which cover all or part of what the token's family still grants.
    ///
    /// - Throws: `interaction_required` if the family has ended, or ``UncoveredRequest`` if it does not cover `part`.
    public func redeem(
        _ refreshToken: Secret,
        client: String,
        for part: RenewedPart = .everything,
        _ caller: Caller
    ) async throws -> IssuedTokens {
        try await Self.rows.storing {
            guard let found = try await RefreshTokenGrant.genuine(refreshToken, store) else {
                throw RefreshTokenGrant.unknown
            }
            return try await tokens.issue(RefreshTokenGrant(found: found, client: client, part: part), caller)
        }
    }

    /// Revokes a token family, for example because its tokens could not be stored.
    public func revoke(family: String, reason: String, _ caller: Caller) async throws {
        try await Self.rows.storing {
            _ = try await store.families.revoke(
                [family],
                reason: reason,
                events: [AuditEvent(.familyRevoked, by: caller, detail: ["family": family, "reason": reason])]
            )
        }
    }

    /// The signing keys in the store.
    public var keys: SigningKeys {
        SigningKeys(store: store, memory: memory, settings: settings, clock: clock)
    }

    /// The metadata and key documents that the issuers publish.
    public var issuers: PublishedIssuers { PublishedIssuers(authority: self) }

    /// Signs logout notices to clients and requests to custom identity providers.
    public var notices: SignedNotices { SignedNotices(authority: self) }

    /// Parses and checks requests to the authorization endpoint and the end session endpoint.
    public var requests: AuthorizationRequests { AuthorizationRequests(authority: self) }

    /// The checks that users have to pass, and the credentials that users have enrolled.
    public var checks: UserChecks { UserChecks(authority: self) }

    /// The sessions of users.
    public var sessions: UserSessions { UserSessions(authority: self) }

    var tokens: TokenEndpoint {
        TokenEndpoint(
            store: store,
            memory: memory,
            settings: settings,
            catalogue: catalogue,
            enrichment: enrichment,
            clock: clock
        )
    }
}

extension Authority {
    static let rows = StoreRefusals(
        of: Text("refusal.store"),
        absent: Refusal(.interactionRequired, Text("refusal.signInEnded")),
        crowded: Refusal(.limitExceeded, Text("refusal.tooMuchUnderWay")).retrying(afterMs: 1_000)
    )
}
