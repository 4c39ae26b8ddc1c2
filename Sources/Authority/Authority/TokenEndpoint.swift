import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import Policies
import Storage
import Tokens

/// A way to obtain tokens (RFC 6749 §1.3).
protocol Grant: Sendable {
    /// The grant's name, used as `grant` in audit events.
    static var name: String { get }
    static var event: AuditKind { get }

    /// The database row that `record` needs to consume the grant.
    associatedtype Source: Sendable

    /// Decides what the tokens contain and which authentication the tokens are based on, or throws a `Refusal`.
    func basis(_ context: GrantContext) async throws -> (GrantDecision, Source)

    /// Records the token family and consumes the grant in one transaction, or throws if the grant cannot be used.
    func record(
        _ basis: GrantDecision,
        _ source: Source,
        event: AuditEvent,
        _ context: GrantContext
    ) async throws -> FamilyRow
}

protocol WireGrant: Sendable {
    static var grantType: GrantType { get }

    /// Whether a policy offers the grant and lists it in its metadata (RFC 8414 §2).
    static func isOffered(by policy: Policy, _ catalogue: PolicyCatalogue) -> Bool

    static func answer(_ call: ProgramCall) async throws -> TokenResponse
}

extension WireGrant {
    static func isOffered(by policy: Policy, _ catalogue: PolicyCatalogue) -> Bool { true }
}

struct GrantContext {
    let caller: Caller
    let store: AuthorityStore
    let settings: AuthoritySettings
    let catalogue: PolicyCatalogue
    let snapshot: AuthoritySnapshot
    let now: Moment
}

struct GrantDecision {
    /// The request, reduced to the granted scopes.
    let request: ResolvedRequest
    var authentication: Authentication
    let policy: Policy
    let client: OAuthClient
    /// The ID token's `nonce` (OpenID Connect Core §2).
    var nonce: String?
}

/// Turns grants into tokens, with the same steps for all grants.
struct TokenEndpoint: Sendable {
    static let wireGrants: [any WireGrant.Type] = [
        AuthorizationCodeGrant.self, RefreshTokenGrant.self, ClientCredentialsGrant.self, DeviceCodeGrant.self,
        AssertionGrant.self, TokenExchangeGrant.self,
    ]

    let store: AuthorityStore
    let memory: AuthorityMemory
    let settings: @Sendable () -> AuthoritySettings
    let catalogue: @Sendable () -> PolicyCatalogue
    let enrichment: Enrichment?
    let clock: MomentClock

    func issueProved(_ grant: some ProvedGrant, _ caller: Caller) async throws -> IssuedTokens {
        try await deciding(grant, caller) { basis, source, context in
            try await issue(grant, basis, source, context)
        }
    }

    func issue(_ grant: some Grant, _ caller: Caller) async throws -> IssuedTokens {
        try await deciding(caller) { context in
            let (basis, source) = try await grant.basis(context)
            return try await issue(grant, basis, source, context)
        }
    }

    func issueCode(_ grant: some ProvedGrant, _ terms: CodeTerms, _ caller: Caller) async throws -> Secret {
        try await deciding(grant, caller) { basis, source, context in
            let (code, issue) = grant.code(basis, source, terms, context)
            try await store.grants.issue(issue)
            return code
        }
    }

    func approve(_ grant: some ProvedGrant, _ device: String, _ caller: Caller) async throws {
        try await deciding(grant, caller) { basis, source, context in
            try await store.grants.issue(grant.approval(device, basis, source, context))
        }
    }

    /// Evaluates an authentication that a flow is about to write in the same transaction as the grant.
    ///
    /// Returns `nil` if the policy first calls a connector, because connectors are slow and need a signed-in user.
    func expecting<Decided>(
        _ grant: AuthenticationGrant,
        _ caller: Caller,
        _ decide: (GrantDecision, GrantContext) async throws -> Decided
    ) async throws -> Decided? {
        let context = try await context(caller)
        let (basis, _) = try await grant.basis(context)
        guard enrichment == nil || basis.policy.connectors[.beforeToken] == nil else { return nil }
        return try await decide(basis, context)
    }

    func context(_ caller: Caller) async throws -> GrantContext {
        GrantContext(
            caller: caller,
            store: store,
            settings: settings(),
            catalogue: catalogue(),
            snapshot: try await memory.snapshot(),
            now: clock.now
        )
    }

    private static let mostTries = 4

    /// Calls `decide`, and calls it again if keys, clients or users have changed in the meantime.
    private func deciding<Decided>(
        _ caller: Caller,
        _ decide: (GrantContext) async throws -> Decided
    ) async throws -> Decided {
        for _ in 1..<Self.mostTries {
            do {
                return try await decide(try await context(caller))
            } catch let error as StoreError where error.code == .stale {
                memory.forget()
            }
        }
        return try await decide(try await context(caller))
    }

    /// Evaluates a grant before and after its policy's connector is called, because the store can change meanwhile.
    private func deciding<Proved: ProvedGrant, Decided>(
        _ grant: Proved,
        _ caller: Caller,
        _ decide: (GrantDecision, Proved.Source, GrantContext) async throws -> Decided
    ) async throws -> Decided {
        var said: [String: JSONValue]?
        return try await deciding(caller) { context in
            let (first, source) = try await grant.basis(context)
            guard let enrichment, let connector = first.policy.connectors[.beforeToken] else {
                return try await decide(first, source, context)
            }
            if said == nil {
                guard let user = try await store.users.get(first.authentication.user) else {
                    return try await decide(first, source, context)
                }
                said = try await enrichment.claims(of: user, first, from: connector, caller)
            }
            let later = try await self.context(caller)
            var (basis, found) = try await grant.basis(later)
            basis.authentication.said = said
            return try await decide(basis, found, later)
        }
    }

    private func issue<Given: Grant>(
        _ grant: Given,
        _ basis: GrantDecision,
        _ source: Given.Source,
        _ context: GrantContext
    ) async throws -> IssuedTokens {
        let (signer, event) = try await signer(grant, basis, context)
        let family = try await grant.record(basis, source, event: event, context)
        return try signer.tokens(family)
    }

    func signer<Given: Grant>(
        _ grant: Given,
        _ basis: GrantDecision,
        _ context: GrantContext
    ) async throws -> (TokenSigner, AuditEvent) {
        guard let user = try await store.users.get(basis.authentication.user), user.enabled else {
            throw Refusal(.interactionRequired, Text("refusal.accountDisabled"))
                .because("the user is disabled or deleted")
        }
        // A flow can be started by one process and completed by another, so the caller is checked again.
        try basis.client.checkUse(by: context.caller)
        let signer = try TokenSigner(basis: basis, user: user, context: context)
        let event = AuditEvent(
            type(of: grant).event,
            by: context.caller,
            user: user.id,
            client: basis.client.id,
            policy: basis.policy.id.description,
            detail: ["grant": type(of: grant).name, "scopes": basis.request.grantedScopes.joined(separator: " ")]
        )
        return (signer, event)
    }
}

extension GrantDecision {
    /// Returns the decision for a part of the grant.
    func reduced(to request: ResolvedRequest) -> GrantDecision {
        GrantDecision(request: request, authentication: authentication, policy: policy, client: client)
    }

    /// Creates the family for a grant over the socket, with the scopes of the earlier families that it replaces.
    func family(_ context: GrantContext, session: String?) async throws -> FamilyRow {
        let earlier = try await context.store.families.list(owner: context.caller.owner, user: authentication.user)
            .filter { row in
                row.client == client.id && row.policy == policy.id.description
                    && row.audience == request.audience && !row.expires.hasEnded(at: context.now)
                    && !row.windowEnds.hasEnded(at: context.now)
            }
        return newFamily(context, session: session, inherited: earlier.flatMap(\.scopes))
    }

    var tellsClientOfSignOut: Bool {
        client.backchannelLogoutURI != nil && request.spelledScopes.contains(Scope.openid.name)
    }

    /// The refresh window of 100 years that is stored for a family if the policy sets no refresh window.
    private static var unlimited: Duration { .seconds(3_155_760_000) }

    /// The maximum refresh window of a browser client, whose tokens any script of its pages can read.
    static var longestInBrowsers: Duration { .seconds(86_400) }

    /// How long after the grant the family expires.
    ///
    /// The refresh tokens of a browser client all expire at the same time, so that no renewal extends them.
    private var window: Duration {
        let window = policy.tokens.slidingWindow ?? Self.unlimited
        return switch client.summary.type {
        case .browser: min(window, policy.tokens.refreshToken, Self.longestInBrowsers)
        case .public, .confidential: window
        }
    }

    func newFamily(_ context: GrantContext, session: String?, inherited: [String] = []) -> FamilyRow {
        let windowEnds = Deadline(window, after: context.now)
        return FamilyRow(
            id: Base64URL.encode(OrderedID.random(RefreshToken.familyBytes, at: context.now)),
            owner: context.caller.owner,
            user: authentication.user,
            client: client.id,
            policy: policy.id.description,
            scopes: Set(request.grantedScopes + inherited).sorted(),
            audience: request.audience,
            resource: request.resource,
            spelledScopes: request.spelledScopes,
            secret: Secret(bytes: RefreshToken.random(RefreshToken.secretBytes)),
            authentication: authentication,
            createdAt: context.now.wall,
            expires: Deadline(policy.tokens.refreshToken, after: context.now).earlier(windowEnds),
            windowEnds: windowEnds,
            sessionID: session
        )
    }
}
