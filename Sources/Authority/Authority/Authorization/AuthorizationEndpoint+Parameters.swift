import FlowModel
import Moments
import OAuth
import Policies
import Tokens

extension AuthorizationEndpoint {
    /// The parameters that the checks look at or the answer repeats; all others count for nothing (RFC 6749 §3.1), and a
    /// pushed request does not keep them.
    static let parameters: Set<String> = [
        "acr_values", "claims", "client_id", "code_challenge", "code_challenge_method", "domain_hint", "id_token_hint",
        "login_hint", "max_age", "nonce", "prompt", "redirect_uri", "registration", "request", "request_uri",
        "resource", "response_mode", "response_type", "scope", "state", "ui_locales",
    ]

    /// Everything that the checks depend on, as it is now.
    struct Context {
        let settings: AuthoritySettings
        let catalogue: PolicyCatalogue
        let clients: [String: OAuthClient]
        let ring: KeyRing
        let now: Moment
    }

    /// Checks the parameters of a request, or throws the refusal with the one who may see it.
    static func request(
        _ form: Form,
        policy: Policy,
        at endpoint: AuthorityEndpoint,
        _ context: Context
    ) throws(AuthorizationRefusal) -> AuthorizationRequest {
        let (client, redirectURI) = try proven(form, context)
        let reply = AuthorizationReply(
            client: client.id,
            redirectURI: redirectURI.description,
            mode: form["response_mode"].flatMap(ResponseMode.init) ?? .query,
            state: form.repeated.contains("state") ? nil : form["state"].flatMap { StateCheck.allows($0) ? $0 : nil },
            issuer: context.settings.issuer(of: policy.id)
        )
        var draft = AuthorizationDraft(form: form, policy: policy, client: client, context: context)
        do throws(OAuthError) {
            for check in EndpointChecks.ofParameters[endpoint] ?? [] { try check.apply(to: &draft) }
            return try draft.request(reply)
        } catch {
            throw .answer(reply, error)
        }
    }

    /// The client, and a redirect URI that it registered.
    private static func proven(
        _ form: Form,
        _ context: Context
    ) throws(AuthorizationRefusal) -> (OAuthClient, RedirectURI) {
        var draft = AddressDraft(form: form, clients: context.clients)
        do throws(OAuthError) {
            for check in EndpointChecks.ofAddresses { try check.apply(to: &draft) }
        } catch {
            throw .page(error)
        }
        guard let client = draft.client, let redirectURI = draft.redirectURI else {
            throw .page(.serverError(detail: "a check of authorization requests was left out"))
        }
        return (client, redirectURI)
    }
}

extension AuthorizationDraft {
    /// The checked request.
    fileprivate func request(_ reply: AuthorizationReply) throws(OAuthError) -> AuthorizationRequest {
        guard let resolved, let challenge else {
            throw .serverError(detail: "a check of authorization requests was left out")
        }
        return AuthorizationRequest(
            reply: reply,
            resolved: resolved,
            challenge: challenge,
            nonce: form["nonce"],
            prompts: prompts,
            user: user,
            loginHint: form["login_hint"],
            domainHint: form["domain_hint"],
            locales: form["ui_locales"]
        )
    }
}
