import AuthorityStore
import FlowModel
import OAuth
import Policies
import StoreRefusals
import Tokens

extension TokenProtocol {
    /// Handles a request to the revocation endpoint (RFC 7009 §2).
    ///
    /// A refresh token is revoked with its whole family, an access token alone, and an invalid token is ignored.
    ///
    /// - Throws: `Refusal`, or `OAuthError`, which is `invalid_grant` if the token was issued to another client.
    public func revoke(_ request: ProgramRequest) async throws {
        try await Authority.rows.storing {
            let call = try await authority.open(request, at: .revocation)
            let token = try ProgramChecks.token(call.request)
            if let row = try await RefreshTokenGrant.genuine(token, authority.store)?.family, !row.owner.mayRepeat {
                try Self.require(row.client, call)
                let event = Self.event(.familyRevoked, row.owner, row.user, call)
                _ = try await authority.store.families.revoke([row.id], reason: "client", events: [event])
                return
            }
            guard let live = try await LiveToken.find(token, of: call.policy.id, authority) else { return }
            try Self.require(live.client, call)
            _ = try await authority.store.spentIDs.spend(
                live.id,
                of: .accessToken,
                by: call.client.id,
                until: live.token.expiresAt,
                events: [Self.event(.tokenRevoked, live.family?.owner, live.family?.user.id, call)]
            )
        }
    }

    private static func require(_ client: String, _ call: ProgramCall) throws(OAuthError) {
        guard client == call.client.id else { throw .invalidGrant(90279, "the token was issued to another client") }
    }

    private static func event(
        _ kind: AuditKind,
        _ owner: Owner?,
        _ user: UserID?,
        _ call: ProgramCall
    ) -> AuditEvent {
        AuditEvent(
            kind,
            owner: owner,
            user: user,
            client: call.client.id,
            policy: call.policy.id.description,
            correlationID: call.request.correlationID,
            detail: ["reason": "client"]
        )
    }
}
