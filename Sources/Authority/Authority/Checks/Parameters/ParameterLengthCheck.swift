import OAuth

/// Values that are kept until the answer are bounded, so that nobody fills the store with them.
struct ParameterLengthCheck: ParameterCheck {
    /// The longest value of a parameter that is kept, in bytes.
    static let longest = 4_096

    /// A hint is as long as the ID token was, and the rest have a form of their own.
    private static let bounded = AuthorizationEndpoint.parameters.subtracting(["id_token_hint", "request"]).sorted()

    func apply(to draft: inout AuthorizationDraft) throws(OAuthError) {
        for name in Self.bounded {
            guard (draft.form[name]?.utf8.count ?? 0) <= Self.longest else {
                throw .invalidRequest("\(name) has more than \(Self.longest) bytes")
            }
        }
    }
}
