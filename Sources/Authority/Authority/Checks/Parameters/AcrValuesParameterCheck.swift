import OAuth

/// `acr_values` is a list of authentication contexts (OpenID Connect Core §3.1.2.1, RFC 9470 §4).
struct AcrValuesParameterCheck: ParameterCheck {
    /// The most contexts of one request.
    static let most = 16

    func apply(to draft: inout AuthorizationDraft) throws(OAuthError) {
        let values = (draft.form["acr_values"] ?? "").split(separator: " ").map(String.init)
        guard values.count <= Self.most else { throw .invalidRequest("acr_values has more than \(Self.most) values") }
        draft.tokens.acrValues = values
    }
}
