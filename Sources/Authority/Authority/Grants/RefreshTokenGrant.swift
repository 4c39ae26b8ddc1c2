import AuthorityStore
import FlowModel
import Moments
import OAuth
import Policies
import Storage

/// The refresh token grant, which redeems a token family's newest refresh token (RFC 6749 §6, RFC 9700 §4.14.2).
///
/// The family's stored authentication stays the same, and a scope is dropped if a check that it requires has expired.
struct RefreshTokenGrant: Grant {
    static let name = "refresh_token"
    static let event = AuditKind.tokenRenewed

    let found: Found
    let client: String
    let part: RenewedPart

    struct Found {
        let token: RefreshToken
        let family: FamilyRow
    }

    /// Returns a genuine refresh token with its family, which might have been revoked, or `nil` for any other token.
    static func genuine(_ token: Secret, _ store: AuthorityStore) async throws -> Found? {
        guard let token = RefreshToken(token), let row = try await store.families.get(token.family),
            token.isGenuine(secret: row.secret)
        else { return nil }
        return Found(token: token, family: row)
    }

    static let unknown = refused("no such refresh token")

    func basis(_ context: GrantContext) async throws -> (GrantDecision, Found) {
        let row = found.family
        guard row.owner.isOfSameKind(as: context.caller.owner) else {
            throw Self.refused("the family was created at the other entry point")
        }
        guard row.client == client else { throw Self.refused("the family belongs to another client") }
        guard row.revokedAt == nil else { throw Self.refused("the family was revoked") }
        let granted = try Self.granted(row, context)
        switch part {
        case .everything: return (try Self.nonempty(granted), found)
        case .everythingWith(let request):
            try Self.require(request, of: row, try Self.nonempty(granted), context)
            return (granted, found)
        case .only(let request):
            try Self.require(request, of: row, try Self.nonempty(granted), context)
            return (granted.reduced(to: request), found)
        case .identity: return (granted.reduced(to: granted.request.forClient), found)
        }
    }

    func record(
        _ basis: GrantDecision,
        _ source: Found,
        event: AuditEvent,
        _ context: GrantContext
    ) async throws -> FamilyRow {
        let windowEnds = source.family.windowEnds
        let latest = Self.end(of: source.family, for: basis.client, at: context.now)?.earlier(windowEnds) ?? windowEnds
        let expires = Deadline(basis.policy.tokens.refreshToken, after: context.now).earlier(latest)
        let rotation = try await context.store.families.rotate(
            .init(
                family: source.family,
                counter: Int64(clamping: source.token.counter),
                holder: context.caller.owner,
                successorEnds: expires,
                scopes: basis.request.api == nil ? [] : basis.request.grantedScopes,
                grace: context.settings.refreshGrace,
                expectedEpoch: context.snapshot.epoch,
                correlationID: context.caller.correlationID
            ),
            events: [event]
        )
        switch rotation {
        case .rotated(let family), .repeated(let family): return family
        case .refused(let reason): throw Self.refused("the family refused: \(reason.rawValue)")
        }
    }

    private static func granted(_ row: FamilyRow, _ context: GrantContext) throws -> GrantDecision {
        let policy = try PolicyCheck.policy(row.policy, in: context.catalogue)
        let client = try ClientCheck.client(row.client, clients: context.snapshot.clients)
        if let end = end(of: row, for: client, at: context.now), end.hasEnded(at: context.now) {
            throw refused("the family is too old for a browser client")
        }
        let rule = ProofRule(policy: policy, catalogue: context.catalogue, client: client.id)
        let proofs = row.authentication.proofs
        guard rule.signInHolds(proofs, at: context.now) else { throw refused("the authentication has expired") }
        let api = context.settings.apis.values.first { $0.audience == row.audience }
        let scopes = row.scopes.compactMap { full -> String? in
            guard let api else { return full == client.id ? full : nil }
            let scope = full.split(separator: "/").last.map(String.init) ?? full
            guard api.scopes[scope] != nil, client.mayAsk(for: scope, of: api.name),
                policy.checks(forScope: scope, api: api.name) != nil,
                rule.holds(scope: scope, api: api.name, by: proofs, at: context.now)
            else { return nil }
            return scope
        }
        let request = ResolvedRequest(
            policy: policy.id,
            client: client.id,
            audience: row.audience ?? client.id,
            api: api?.name,
            resource: row.resource,
            spelledScopes: row.spelledScopes,
            scopes: scopes.sorted(),
            additionalScopes: [],
            checks: [],
            additionalChecks: [],
            acrValues: [],
            maxAge: nil
        )
        return GrantDecision(request: request, authentication: row.authentication, policy: policy, client: client)
    }

    /// Returns when the family of a browser client ends, or `nil` for any other client.
    ///
    /// The family can be older than the client's type, which the configuration can change.
    private static func end(of row: FamilyRow, for client: OAuthClient, at now: Moment) -> Deadline? {
        switch client.summary.type {
        case .browser:
            Deadline(GrantDecision.longestInBrowsers - .milliseconds(now.wall - row.createdAt), after: now)
        case .public, .confidential: nil
        }
    }

    private static func nonempty(_ granted: GrantDecision) throws -> GrantDecision {
        guard !granted.request.scopes.isEmpty else { throw refused("no scope of the family is still valid") }
        return granted
    }

    /// Throws ``UncoveredRequest`` if the request goes beyond what the token family was granted.
    private static func require(
        _ request: ResolvedRequest,
        of row: FamilyRow,
        _ granted: GrantDecision,
        _ context: GrantContext
    ) throws {
        guard request.policy == granted.policy.id, request.audience == granted.request.audience,
            Set(request.scopes).isSubset(of: granted.request.scopes)
        else { throw UncoveredRequest(request: request) }
        let proved = ProvedSession(row.authentication, policy: row.policy, client: row.client)
        let asked = RequestContext(request: request, policy: granted.policy, catalogue: context.catalogue)
        guard proved.proves(asked, at: context.now) else { throw UncoveredRequest(request: request) }
    }

    private static func refused(_ detail: String) -> Refusal {
        Refusal(.interactionRequired, Text("refusal.refreshTokenInvalid")).because(detail)
    }
}
