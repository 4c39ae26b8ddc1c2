import OAuth

/// The client is registered for the grant (RFC 6749 §5.2 `unauthorized_client`).
struct ClientGrantTypeCheck: ProgramCheck {
    func apply(to draft: inout ProgramDraft) async throws {
        guard let grant = draft.findings.grant, draft.client?.grants.contains(grant.grantType) == true else {
            throw OAuthError.b2c(.unauthorizedClient, 90224, "the client may not use this grant type")
        }
    }
}
