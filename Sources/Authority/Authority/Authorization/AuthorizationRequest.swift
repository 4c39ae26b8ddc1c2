public import FlowModel
public import OAuth

/// An authorization request that passed all checks (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1).
public struct AuthorizationRequest: Hashable, Sendable, Codable {
    /// The registered destination of the response.
    public let reply: AuthorizationReply
    /// The token request, with its policy's defaults filled in.
    public let resolved: ResolvedRequest
    /// The PKCE challenge that the code is bound to (RFC 7636).
    public let challenge: CodeChallenge
    /// The `nonce` to include in the ID token, or `nil` if the request has none.
    public let nonce: String?
    /// The requested values of the `prompt` parameter.
    public let prompts: Set<RequestedPrompt>
    /// The user identified by `id_token_hint` or `claims`, or `nil` if neither identifies a user.
    public let user: UserID?
    /// The sign-in name to fill in (`login_hint`), or `nil` if the request has none.
    public let loginHint: String?
    /// The external provider to send the user to (`domain_hint`, as in Azure AD B2C), or `nil` if the request has none.
    public let domainHint: String?
    /// The client's preferred page languages (`ui_locales`), as BCP 47 tags, most preferred first, or `nil` for none.
    public let locales: String?
}

/// A value of the `prompt` parameter (OpenID Connect Core §3.1.2.1, Initiating User Registration §4.1).
public enum RequestedPrompt: String, Hashable, Sendable, Codable, CaseIterable {
    /// Shows no page to the user.
    case none
    /// Prompts for credentials again.
    case login
    /// Prompts for consent again.
    case consent
    /// Prompts the user to choose an account.
    case selectAccount = "select_account"
    /// Prompts the user to create an account.
    case create
}

extension AuthorizationRequest {
    /// The terms that the authorization code is bound to.
    public var terms: CodeTerms { CodeTerms(redirectURI: reply.redirectURI, challenge: challenge, nonce: nonce) }

    /// The rule for prompting the user, derived from ``prompts``.
    public var prompt: Prompt {
        if prompts.contains(.none) { return .none }
        if prompts.contains(.create) { return .create }
        if prompts.contains(.login) { return .login }
        if prompts.contains(.selectAccount) { return .select }
        return .auto
    }

    /// The user who must authenticate, a hint from `login_hint`, or `nil` if the request has neither.
    public var who: RequiredUser? {
        if let user { return .user(user) }
        return loginHint.map { .hint($0) }
    }
}
