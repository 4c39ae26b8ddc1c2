import OAuth
import Policies

/// `prompt` is a list of known words, and `none` stands alone (OpenID Connect Core §3.1.2.1).
struct PromptCheck: ParameterCheck {
    func apply(to draft: inout AuthorizationDraft) throws(OAuthError) {
        for word in (draft.form["prompt"] ?? "").split(separator: " ") {
            guard let prompt = RequestedPrompt(rawValue: String(word)) else {
                throw .b2c(.invalidRequest, 90043, "prompt has a value that does not exist")
            }
            draft.prompts.insert(prompt)
        }
        guard !draft.prompts.contains(.none) || draft.prompts.count == 1 else {
            throw .b2c(.invalidRequest, 90043, "prompt=none stands alone")
        }
        guard !draft.prompts.contains(.create) || draft.policy.kind.signsUp else {
            throw .b2c(.invalidRequest, 90043, "this policy cannot make an account")
        }
    }
}
