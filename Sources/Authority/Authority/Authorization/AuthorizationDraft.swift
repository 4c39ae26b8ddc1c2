import FlowModel
import OAuth
import Policies

/// An authorization request with the findings of the checks so far.
struct AuthorizationDraft {
    let form: Form
    let policy: Policy
    let client: OAuthClient
    let context: AuthorizationEndpoint.Context
    /// The request for tokens that the parameters ask for.
    var tokens: TokenRequest
    var challenge: CodeChallenge?
    var prompts: Set<RequestedPrompt> = []
    var user: UserID?
    var resolved: ResolvedRequest?

    init(form: Form, policy: Policy, client: OAuthClient, context: AuthorizationEndpoint.Context) {
        self.form = form
        self.policy = policy
        self.client = client
        self.context = context
        tokens = TokenRequest(scopes: [])
        tokens.policy = policy.id.description
        tokens.client = client.id
    }
}

/// One condition that the parameters of an authorization request must meet, once its redirect URI is proven.
protocol ParameterCheck: EndpointCheck {
    /// Refuses the request, or adds the findings to the draft.
    func apply(to draft: inout AuthorizationDraft) throws(OAuthError)
}
