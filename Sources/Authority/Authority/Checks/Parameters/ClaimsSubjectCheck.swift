import FlowModel
import OAuth

/// A person whom `claims` names by the ID token's `sub` is one, and whom `id_token_hint` names too (OpenID Connect Core
/// §3.1.2.2, §5.5.1).
struct ClaimsSubjectCheck: ParameterCheck {
    func apply(to draft: inout AuthorizationDraft) throws(OAuthError) {
        guard let asked = draft.tokens.claims?["id_token"]?["sub"],
            let values = asked["value"].map({ [$0] }) ?? asked["values"]?.array
        else { return }
        guard values.count == 1, let subject = values[0].string else {
            throw .invalidRequest("claims does not name one person by the sub of the ID token")
        }
        let user = UserID(oid: subject)
        guard draft.user ?? user == user else {
            throw .invalidRequest("claims and id_token_hint name two people")
        }
        draft.user = user
    }
}
