import FlowModel
import Moments
import OAuth
import Policies
import Tokens

extension AuthorizationEndpoint {
    /// The endpoints that take authorization requests.
    enum Endpoint: CaseIterable {
        /// The authorization endpoint, which a browser opens (RFC 6749 §3.1).
        case authorize
        /// The pushed authorization request endpoint, which a client calls (RFC 9126 §2).
        case push
    }

    /// The parameters that the checks look at or the answer repeats; all others count for nothing (RFC 6749 §3.1), and a
    /// pushed request does not keep them.
    static let parameters: Set<String> = [
        "acr_values", "claims", "client_id", "code_challenge", "code_challenge_method", "id_token_hint", "login_hint",
        "max_age", "nonce", "prompt", "redirect_uri", "registration", "request", "request_uri", "resource",
        "response_mode", "response_type", "scope", "state", "ui_locales",
    ]

    /// The checks of the parameters in the order of their standards, and the endpoints that make them.
    ///
    /// Client and redirect URI are proven before: until then no error goes to the redirect URI (RFC 6749 §4.1.2.1).
    static let parameterChecks: [(check: any ParameterCheck, endpoints: Set<Endpoint>)] = [
        (ResponseModeCheck(), [.authorize, .push]),
        (RepeatedParameterCheck(), [.authorize, .push]),
        (ParameterLengthCheck(), [.authorize, .push]),
        (StateCheck(), [.authorize, .push]),
        (RequestObjectCheck(), [.authorize, .push]),
        (ClientGrantCheck(), [.authorize, .push]),
        (ResponseTypeCheck(), [.authorize, .push]),
        (ProofKeyCheck(), [.authorize, .push]),
        (ScopeParameterCheck(), [.authorize, .push]),
        (PromptCheck(), [.authorize, .push]),
        (MaxAgeParameterCheck(), [.authorize, .push]),
        (AcrValuesParameterCheck(), [.authorize, .push]),
        (ClaimsParameterCheck(), [.authorize, .push]),
        (ResourceParameterCheck(), [.authorize, .push]),
        (IDTokenHintCheck(), [.authorize, .push]),
        (ResolutionCheck(), [.authorize, .push]),
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
        at endpoint: Endpoint,
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
            for (check, endpoints) in parameterChecks where endpoints.contains(endpoint) {
                try check.apply(to: &draft)
            }
            return try draft.request(reply)
        } catch {
            throw .answer(reply, error)
        }
    }

    /// The client, and a redirect URI that it registered; it must be named, also if there is only one (RFC 9700 §4.1.1).
    private static func proven(
        _ form: Form,
        _ context: Context
    ) throws(AuthorizationRefusal) -> (OAuthClient, RedirectURI) {
        guard let id = form["client_id"], !form.repeated.contains("client_id") else {
            throw .page(.b2c(.invalidRequest, 90008, "the parameter client_id is missing or there twice"))
        }
        guard let client = context.clients[id] else {
            throw .page(.b2c(.unauthorizedClient, 90018, "no client is registered under this id"))
        }
        guard let text = form["redirect_uri"], !form.repeated.contains("redirect_uri") else {
            throw .page(.b2c(.invalidRequest, 90006, "the parameter redirect_uri is missing or there twice"))
        }
        guard let asked = try? RedirectURI(text) else {
            throw .page(.b2c(.invalidRequest, 90287, "the redirect URI is not one that can be registered"))
        }
        let registered = client.summary.redirectURIs.compactMap { try? RedirectURI($0) }
        guard registered.contains(where: { $0.allows(asked) }) else {
            throw .page(.b2c(.invalidRequest, 90006, "the redirect URI is not registered for this client"))
        }
        return (client, asked)
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
            locales: form["ui_locales"]
        )
    }
}
