import OAuth

/// `grant_type` is there, and names a grant of this authority (RFC 6749 §5.2).
struct GrantTypeCheck: ProgramCheck {
    func apply(to draft: inout ProgramDraft) async throws {
        let name = try draft.request.required("grant_type")
        guard let grant = TokenEndpoint.wireGrants.first(where: { $0.grantType.wireName == name }) else {
            throw OAuthError.b2c(.unsupportedGrantType, 90086, "this grant type is not supported")
        }
        draft.findings.grant = grant
    }
}
