import OAuth

/// `state` has no control characters (RFC 6749 appendix A.5): a form would change them on the way back to the client.
struct StateCheck: ParameterCheck {
    func apply(to draft: inout AuthorizationDraft) throws(OAuthError) {
        guard draft.form["state"].map(Self.allows) ?? true else {
            throw .invalidRequest("state has a control character")
        }
    }

    /// True for a value that comes back as it was sent.
    static func allows(_ state: String) -> Bool {
        !state.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
