import OAuth

/// Values that are kept until the answer are bounded, so that nobody fills the store with them.
struct ParameterLengthCheck: ParameterCheck {
    /// The longest value of a parameter that is kept, in bytes.
    static let longest = 4_096

    func apply(to draft: inout AuthorizationDraft) throws(OAuthError) {
        for name in ["state", "nonce", "claims", "login_hint", "acr_values", "scope", "ui_locales"] {
            guard (draft.form[name]?.utf8.count ?? 0) <= Self.longest else {
                throw .invalidRequest("\(name) has more than \(Self.longest) bytes")
            }
        }
    }
}
