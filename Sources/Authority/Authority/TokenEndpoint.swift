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
    /// The word of `grant` in the audit.
    static var name: String { get }
    /// The event of the audit that it brings about.
    static var event: AuditKind { get }

    /// The row that the grant was found in, for its use.
    associatedtype Source: Sendable

    /// Decides on the contents of the tokens, and on the proofs they rest on.
    ///
    /// - Throws: The refusal, if nothing is granted.
    func basis(_ context: GrantContext) async throws -> (GrantDecision, Source)

    /// Uses the grant up in the transaction that records the tokens.
    ///
    /// - Parameters:
    ///   - basis: The decision of ``basis(_:)``.
    ///   - source: The row that was found by ``basis(_:)``.
    ///   - event: The event for the audit.
    ///   - context: The state that the decision rests on.
    /// - Returns: The family as it stands afterwards.
    /// - Throws: The error that kept the store from recording it, or the grant from being used.
    func record(
        _ basis: GrantDecision,
        _ source: Source,
        event: AuditEvent,
        _ context: GrantContext
    ) async throws -> FamilyRow
}

/// A grant that is presented at the token endpoint over HTTP.
protocol WireGrant: Sendable {
    /// The grant, by which clients are allowed to use it.
    static var grantType: GrantType { get }

    /// True if tokens can be had by it at a policy, so that its metadata name it (RFC 8414 §2).
    static func isOffered(by policy: Policy, _ catalogue: PolicyCatalogue) -> Bool

    /// Reads the grant's own parameters and decides.
    static func answer(_ call: ProgramCall) async throws -> TokenResponse
}

extension WireGrant {
    static func isOffered(by policy: Policy, _ catalogue: PolicyCatalogue) -> Bool { true }
}

/// Everything that the decision on a grant depends on.
struct GrantContext {
    let caller: Caller
    let store: AuthorityStore
    let settings: AuthoritySettings
    let catalogue: PolicyCatalogue
    let snapshot: AuthoritySnapshot
    let now: Moment
}

/// The contents of the tokens that a grant gives.
struct GrantDecision {
    /// The request, with the scopes that are granted.
    let request: ResolvedRequest
    /// The person, with the proofs of who they are.
    var authentication: Authentication
    let policy: Policy
    let client: OAuthClient
    /// `nonce` of the ID token (OpenID Connect Core §2).
    var nonce: String?
}

/// Turns grants into tokens: the steps that every grant shares, so that no grant can leave one out.
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

    /// Decides, records and signs what a person has proved just now.
    func issueProved(_ grant: some ProvedGrant, _ caller: Caller) async throws -> IssuedTokens {
        try await deciding(grant, caller) { basis, source, context in
            try await issue(grant, basis, source, context)
        }
    }

    /// Decides, records and signs.
    func issue(_ grant: some Grant, _ caller: Caller) async throws -> IssuedTokens {
        try await deciding(caller) { context in
            let (basis, source) = try await grant.basis(context)
            return try await issue(grant, basis, source, context)
        }
    }

    /// Decides on a code and records it.
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

    /// Decides on what a flow is about to write, for the transaction that writes it.
    ///
    /// - Returns: The result of `decide`; nil if a connector of the policy is asked before tokens, since no transaction waits
    ///   for one, and it is asked for nobody who has not signed in.
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

    /// Everything that a decision depends on, as it is now.
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

    /// The greatest number of times a decision is made anew because its keys, clients or users changed.
    private static let mostTries = 4

    /// Decides; decides again if keys, clients or users changed meanwhile.
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

    /// Decides on a grant whose tokens are the first of their family: a connector of the policy is asked once, between two
    /// decisions, of which the second counts.
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
            // Much may have happened while it was asked.
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

    /// What signs the tokens of a grant, and the event for the audit.
    func signer<Given: Grant>(
        _ grant: Given,
        _ basis: GrantDecision,
        _ context: GrantContext
    ) async throws -> (TokenSigner, AuditEvent) {
        guard let user = try await store.users.get(basis.authentication.user), user.enabled else {
            throw Refusal(.interactionRequired, Text("refusal.accountDisabled"))
                .because("the user is disabled or deleted")
        }
        // Another process of the user than the one that started a flow may end it.
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
    /// The family that begins with this grant at the socket.
    ///
    /// It takes over the scopes that an earlier family of the same owner, person, client and policy was granted for the
    /// API, since the earlier one's token is forgotten for its own.
    func family(_ context: GrantContext, session: String?) async throws -> FamilyRow {
        let earlier = try await context.store.families.list(owner: context.caller.owner, user: authentication.user)
            .filter { row in
                row.client == client.id && row.policy == policy.id.description
                    && row.audience == request.audience && !row.expires.hasEnded(at: context.now)
                    && !row.windowEnds.hasEnded(at: context.now)
            }
        return newFamily(context, session: session, inherited: earlier.flatMap(\.scopes))
    }

    /// True if the client is told by the back channel when the session ends: it has an address for it, and an ID token that
    /// names the session.
    var tellsClientOfSignOut: Bool {
        client.backchannelLogoutURI != nil && request.spelledScopes.contains(Scope.openid.name)
    }

    /// The end that the store keeps of a family without a window, which nobody sees: 100 years.
    private static var unlimited: Duration { .seconds(3_155_760_000) }

    /// A family of this grant's scopes, and of those that it inherits.
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
