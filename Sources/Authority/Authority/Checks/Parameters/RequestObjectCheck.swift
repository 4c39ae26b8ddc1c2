import OAuth

/// A request is made of its own parameters alone: objects and registrations are not supported (OpenID Connect Core
/// §3.1.2.6), and a `request_uri` is only one that was pushed here (RFC 9126), which is looked up before.
struct RequestObjectCheck: ParameterCheck {
    func apply(to draft: inout AuthorizationDraft) throws(OAuthError) {
        for (name, code) in Self.unsupported where draft.form[name] != nil {
            throw OAuthError(code: code, description: "\(name) is not supported")
        }
    }

    private static let unsupported: [(String, OAuthError.Code)] = [
        ("request", .requestNotSupported), ("request_uri", .requestURINotSupported),
        ("registration", .registrationNotSupported),
    ]
}
