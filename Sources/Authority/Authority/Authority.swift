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
/// The authority does not depend on HTTP, and it never prompts a user itself. It determines which checks a request
/// still requires, and issues tokens for the authentication that a flow or session provides. The authority is a class,
/// so passing it along with each request does not copy it.
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

    /// Creates an authority.
    ///
    /// - Parameters:
    ///   - settings: Returns the current configuration.
    ///   - catalogue: Returns the current policies.
    ///   - store: The authority's database, which other daemons may share.
    ///   - attempts: The rule that blocks users and origins after too many failed attempts.
    ///   - clock: The clock that determines when deadlines pass.
    ///   - enrichment: Fetches additional claims from connectors before tokens are issued. If `nil`, the authority
    ///     calls no connectors.
    ///   - logger: The logger.
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

    /// Creates the first signing keys and performs overdue key changes, or throws if a stored signing key cannot be
    /// read.
    public func start() async throws {
        try await keys.schedule()
    }

    /// Checks a request, and fills in the request's missing values with the defaults of the requested policy.
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

    /// Issues the tokens for a successful flow, or returns `nil` if the tokens have already been issued.
    ///
    /// This method consumes the flow's authentication.
    ///
    /// - Throws: `interaction_required` if no authentication is stored for the request, or if the authentication is too
    ///   old.
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
    /// - Throws: `interaction_required` if the family has ended, or ``UncoveredRequest`` if the family does not cover
    ///   the requested part.
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

    /// Revokes the token family with this id.
    ///
    /// Call this method if the tokens of a new family could not be stored.
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

    /// Signs the messages that the authority sends to other servers.
    ///
    /// The messages are logout notices to clients and requests to custom identity providers.
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
