import AuthorityStore
import FlowModel
import Moments
import OAuth
import Policies
import Storage

/// The grant of a family's newest token, (RFC 6749 §6, RFC 9700 §4.14.2).
///
/// The authentication stays the family's: a renewal proves nothing anew. A scope whose check has expired is dropped.
struct RefreshTokenGrant: Grant {
    static let name = "refresh_token"
    static let event = AuditKind.tokenRenewed

    let token: Secret
    let client: String
    /// The requested part; everything the family was granted if nil.
    let request: ResolvedRequest?

    /// A genuine token and its family.
    struct Found {
        let token: RefreshToken
        let family: FamilyRow
    }

    func basis(_ context: GrantContext) async throws -> (GrantBasis, Found) {
        let found = try await self.found(context)
        let row = found.family
        let granted = try Self.granted(row, context)
        if let request {
            guard Self.covers(row, granted, request, context) else {
                throw Self.refused("the family does not cover the request")
            }
            let asked = GrantBasis(
                request: request,
                authentication: row.authentication,
                policy: granted.policy,
                client: granted.client
            )
            return (asked, found)
        }
        return (granted, found)
    }

    func record(
        _ basis: GrantBasis,
        _ source: Found,
        event: AuditEvent,
        _ context: GrantContext
    ) async throws -> FamilyRow {
        let expires = Deadline(basis.policy.tokens.refreshToken, after: context.now).earlier(source.family.windowEnds)
        let rotation = try await context.store.families.rotate(
            .init(
                family: source.family,
                counter: Int64(clamping: source.token.counter),
                holder: context.caller.owner,
                successorEnds: expires,
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

    /// True if the family would give the request; its token is not used.
    func covers(_ request: ResolvedRequest, _ context: GrantContext) async throws -> Bool {
        do {
            let row = try await found(context).family
            return Self.covers(row, try Self.granted(row, context), request, context)
        } catch is Refusal {
            return false
        }
    }

    /// The family of a token that was made with its secret, whatever its state.
    static func genuine(_ token: Secret, _ store: AuthorityStore) async throws -> FamilyRow? {
        guard let token = RefreshToken(token), let row = try await store.families.get(token.family),
            token.isGenuine(secret: row.secret)
        else { return nil }
        return row
    }

    /// Finds the token's family; the token must be genuine and the family of the caller's kind and client.
    private func found(_ context: GrantContext) async throws -> Found {
        guard let token = RefreshToken(token), let row = try await Self.genuine(self.token, context.store) else {
            throw Self.refused("no such refresh token")
        }
        guard row.owner.isOfSameKind(as: context.caller.owner) else {
            throw Self.refused("the family was made at the other door")
        }
        guard row.client == client else { throw Self.refused("the family belongs to another client") }
        guard row.revokedAt == nil else { throw Self.refused("the family was revoked") }
        return Found(token: token, family: row)
    }

    /// Everything that the family still grants.
    private static func granted(_ row: FamilyRow, _ context: GrantContext) throws -> GrantBasis {
        let policy = try PolicyCheck.policy(row.policy, settings: context.settings, catalogue: context.catalogue)
        let client = try ClientCheck.client(row.client, clients: context.snapshot.clients)
        let rule = ProofRule(policy: policy, catalogue: context.catalogue)
        let proofs = row.authentication.proofs
        guard rule.signInHolds(proofs, at: context.now) else { throw refused("what was proved has ended") }
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
        guard !scopes.isEmpty else { throw refused("no scope of the family is left") }
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
        return GrantBasis(request: request, authentication: row.authentication, policy: policy, client: client)
    }

    private static func covers(
        _ row: FamilyRow,
        _ granted: GrantBasis,
        _ request: ResolvedRequest,
        _ context: GrantContext
    ) -> Bool {
        guard request.policy == granted.policy.id, request.audience == granted.request.audience,
            Set(request.scopes).isSubset(of: granted.request.scopes)
        else { return false }
        return AuthorizationEndpoint.isMet(
            AuthorizationEndpoint.proofChecks,
            by: ProvedSession(row.authentication, policy: row.policy, client: row.client),
            RequestBasis(request: request, policy: granted.policy, catalogue: context.catalogue),
            at: context.now
        )
    }

    private static func refused(_ detail: String) -> Refusal {
        Refusal(.interactionRequired, "the refresh token is not valid; sign in again").because(detail)
    }
}
