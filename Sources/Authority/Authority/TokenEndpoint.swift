import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import Policies
import Storage
import Tokens

/// A grant: a way to obtain tokens (RFC 6749 §1.3).
protocol Grant: Sendable {
    /// The grant's name, used as `grant` in audit events.
    static var name: String { get }
    /// The kind of audit event that the grant records.
    static var event: AuditKind { get }

    /// The database row that contains the grant, needed to consume the grant.
    associatedtype Source: Sendable

    /// Decides what the tokens contain and which authentication they are based on.
    ///
    /// - Throws: `Refusal` if nothing is granted.
    func basis(_ context: GrantContext) async throws -> (GrantDecision, Source)

    /// Consumes the grant in the transaction that records the tokens.
    ///
    /// - Parameters:
    ///   - basis: The decision of ``basis(_:)``.
    ///   - source: The row that ``basis(_:)`` found.
    ///   - event: The audit event.
    ///   - context: The state that the decision is based on.
    /// - Returns: The family after the change.
    /// - Throws: A store error, or an error that says why the grant cannot be used.
    func record(
        _ basis: GrantDecision,
        _ source: Source,
        event: AuditEvent,
        _ context: GrantContext
    ) async throws -> FamilyRow
}

/// A grant that is presented at the token endpoint over HTTP.
protocol WireGrant: Sendable {
    /// The grant type that a client must be registered for.
    static var grantType: GrantType { get }

    /// Whether a policy offers the grant. If so, the policy's metadata lists it (RFC 8414 §2).
    static func isOffered(by policy: Policy, _ catalogue: PolicyCatalogue) -> Bool

    /// Parses the grant's own parameters and returns the token response.
    static func answer(_ call: ProgramCall) async throws -> TokenResponse
}

extension WireGrant {
    static func isOffered(by policy: Policy, _ catalogue: PolicyCatalogue) -> Bool { true }
}

/// Everything that a decision on a grant depends on.
struct GrantContext {
    let caller: Caller
    let store: AuthorityStore
    let settings: AuthoritySettings
    let catalogue: PolicyCatalogue
    let snapshot: AuthoritySnapshot
    let now: Moment
}

/// The content of the tokens that a grant issues.
struct GrantDecision {
    /// The request, reduced to the granted scopes.
    let request: ResolvedRequest
    /// The user and the checks that the user passed.
    var authentication: Authentication
    let policy: Policy
    let client: OAuthClient
    /// `nonce` of the ID token (OpenID Connect Core §2).
    var nonce: String?
}

/// Turns grants into tokens.
///
/// Contains the steps that all grants share, so that no grant can omit one.
struct TokenEndpoint: Sendable {
    /// The grants that programs use over HTTP.
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

    /// Decides on the content of tokens for a user who has just authenticated, and records and signs the tokens.
    func issueProved(_ grant: some ProvedGrant, _ caller: Caller) async throws -> IssuedTokens {
        try await deciding(grant, caller) { basis, source, context in
            try await issue(grant, basis, source, context)
        }
    }

    /// Decides on the content of a grant's tokens, and records and signs the tokens.
    func issue(_ grant: some Grant, _ caller: Caller) async throws -> IssuedTokens {
        try await deciding(caller) { context in
            let (basis, source) = try await grant.basis(context)
            return try await issue(grant, basis, source, context)
        }
    }

    /// Decides what a code grants, and records the code.
    func issueCode(_ grant: some ProvedGrant, _ terms: CodeTerms, _ caller: Caller) async throws -> Secret {
        try await deciding(grant, caller) { basis, source, context in
            let (code, issue) = grant.code(basis, source, terms, context)
            try await store.grants.issue(issue)
            return code
        }
    }

    /// Decides on a device's request and approves it.
    func approve(_ grant: some ProvedGrant, _ device: String, _ caller: Caller) async throws {
        try await deciding(grant, caller) { basis, source, context in
            try await store.grants.issue(grant.approval(device, basis, source, context))
        }
    }

    /// Makes a decision about an authentication that a flow is about to write, so that one transaction can write both.
    ///
    /// - Returns: The result of `decide`, or `nil` if the policy calls a connector before it issues tokens. A
    ///   transaction must not wait for a connector, and a connector is called only for a user who has signed in.
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

    /// Returns the currently loaded state that a decision depends on.
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

    /// The maximum number of times that a decision is made if keys, clients or users keep changing.
    private static let mostTries = 4

    /// Makes a decision, and makes it again if keys, clients or users have changed in the meantime.
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

    /// Decides on a grant whose tokens start a new family.
    ///
    /// If the policy has a connector, the decision is made before and after the connector is called. The second
    /// decision counts.
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
            // The state could have changed while the connector was called.
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

    /// Returns the signer of a grant's tokens, and the audit event.
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
    /// Creates the token family for a grant at the socket.
    ///
    /// The family inherits the API's scopes from an earlier family with the same owner, user, client and policy,
    /// because the new token replaces the token of that family.
    func family(_ context: GrantContext, session: String?) async throws -> FamilyRow {
        let earlier = try await context.store.families.list(owner: context.caller.owner, user: authentication.user)
            .filter { row in
                row.client == client.id && row.policy == policy.id.description
                    && row.audience == request.audience && !row.expires.hasEnded(at: context.now)
                    && !row.windowEnds.hasEnded(at: context.now)
            }
        return newFamily(context, session: session, inherited: earlier.flatMap(\.scopes))
    }

    /// Whether the client is notified over the back channel when the session ends.
    ///
    /// The client must have registered an address, and its ID token must identify the session.
    var tellsClientOfSignOut: Bool {
        client.backchannelLogoutURI != nil && request.spelledScopes.contains(Scope.openid.name)
    }

    /// The stored lifetime of a family without a refresh window: 100 years.
    ///
    /// It is never shown to users.
    private static var unlimited: Duration { .seconds(3_155_760_000) }

    /// Creates a family with the scopes of this grant and the inherited scopes.
    func newFamily(_ context: GrantContext, session: String?, inherited: [String] = []) -> FamilyRow {
        let windowEnds = Deadline(policy.tokens.slidingWindow ?? Self.unlimited, after: context.now)
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
