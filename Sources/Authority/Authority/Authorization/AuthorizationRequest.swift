public import FlowModel
public import OAuth

/// An authorization request whose parameters were all checked (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1).
public struct AuthorizationRequest: Hashable, Sendable, Codable {
    /// The place of the answer, which the client registered.
    public let reply: AuthorizationReply
    /// The request for tokens, with everything that is left to its policy.
    public let resolved: ResolvedRequest
    /// The proof key that the code is bound to (RFC 7636).
    public let challenge: CodeChallenge
    /// The value that the ID token repeats.
    public let nonce: String?
    /// The ways in which the person may or must be asked.
    public let prompts: Set<RequestedPrompt>
    /// The person whom `id_token_hint` or `claims` names.
    public let user: UserID?
    /// The sign-in name to fill in.
    public let loginHint: String?
    /// `domain_hint`: the provider outside that the person is sent to, as clients of Azure AD B2C name it.
    public let domainHint: String?
    /// `ui_locales`: the languages that the client prefers for pages, the best first (BCP 47).
    public let locales: String?
}

/// The values of `prompt` (OpenID Connect Core §3.1.2.1, Initiating User Registration §4.1).
public enum RequestedPrompt: String, Hashable, Sendable, Codable, CaseIterable {
    /// No page at all.
    case none
    /// Asks for the credentials again.
    case login
    /// Asks for the consent again.
    case consent
    /// Asks which account to use.
    case selectAccount = "select_account"
    /// Asks to make an account.
    case create
}

extension AuthorizationRequest {
    /// The terms of the code that answers it.
    public var terms: CodeTerms { CodeTerms(redirectURI: reply.redirectURI, challenge: challenge, nonce: nonce) }

    /// The way in which the authority decides on sessions.
    public var prompt: Prompt {
        if prompts.contains(.none) { return .none }
        if prompts.contains(.create) { return .create }
        if prompts.contains(.login) { return .login }
        if prompts.contains(.selectAccount) { return .select }
        return .auto
    }

    /// The person it must be for, or the name to fill in.
    public var who: RequiredUser? {
        if let user { return .user(user) }
        return loginHint.map { .hint($0) }
    }
}
