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

/// The authorization server without HTTP: it decides on requests for tokens and issues them.
///
/// It names what a request lacks and uses up what a flow or a session has proved; it never asks a person itself. It is a
/// class, since every request hands it on.
public final class Authority: Sendable {
    /// Returns the current configuration.
    public let settings: @Sendable () -> AuthoritySettings
    /// Returns the current policies.
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

    /// An authority over one store.
    ///
    /// - Parameters:
    ///   - settings: Returns the current configuration.
    ///   - catalogue: Returns the current policies.
    ///   - store: The authority's database; other daemons may share it.
    ///   - attempts: The lockout rule.
    ///   - clock: The clock that deadlines go by.
    ///   - enrichment: Asks a connector what else tokens are to say of a person; nil if nobody is asked.
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

    /// Makes the first keys and runs overdue changes; an unreadable signing key stops the start.
    public func start() async throws {
        try await keys.schedule()
    }

    /// Completes the request with everything that is left to its policy.
    ///
    /// - Throws: `unknown_policy`, `unknown_client`, `scope_denied`, `unmet_authentication_requirements`.
    public func resolve(_ request: TokenRequest) async throws -> ResolvedRequest {
        try await Self.rows.storing {
            try request.resolved(
                settings: settings(),
                catalogue: catalogue(),
                clients: try await memory.snapshot().clients
            )
        }
    }

    /// Issues the tokens of a flow that has ended with success; its authentication is used up.
    ///
    /// - Parameters:
    ///   - id: The pending request's id.
    ///   - caller: The caller.
    /// - Returns: The tokens; nil if they were given before.
    /// - Throws: `interaction_required` if nothing was proved for the request, or too long ago.
    public func issue(pending id: String, _ caller: Caller) async throws -> IssuedTokens? {
        try await Self.rows.storing {
            do {
                return try await tokens.issueProved(AuthenticationGrant(pending: id), caller)
            } catch let error as StoreError where error.code == .consumed {
                return nil
            }
        }
    }

    /// Issues tokens for a live session that meets the request.
    public func issue(_ request: ResolvedRequest, session: String, _ caller: Caller) async throws -> IssuedTokens {
        try await Self.rows.storing {
            try await tokens.issueProved(SessionGrant(session: session, request: request), caller)
        }
    }

    /// Issues tokens for a refresh token, for the named part of what its family still grants.
    ///
    /// - Throws: `interaction_required` when the family is dead; ``UncoveredRequest`` when it does not cover the part.
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

    /// Revokes one family, because its tokens could not be stored.
    public func revoke(family: String, reason: String, _ caller: Caller) async throws {
        try await Self.rows.storing {
            _ = try await store.families.revoke(
                [family],
                reason: reason,
                events: [AuditEvent(.familyRevoked, by: caller, detail: ["family": family, "reason": reason])]
            )
        }
    }

    /// The signing keys.
    public var keys: SigningKeys {
        SigningKeys(store: store, memory: memory, settings: settings, clock: clock)
    }

    /// The documents of its issuers.
    public var issuers: PublishedIssuers { PublishedIssuers(authority: self) }

    /// What it signs for others beside tokens.
    public var notices: SignedNotices { SignedNotices(authority: self) }

    /// The requests of browsers, as they are parsed.
    public var requests: AuthorizationRequests { AuthorizationRequests(authority: self) }

    /// The checks of users.
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
