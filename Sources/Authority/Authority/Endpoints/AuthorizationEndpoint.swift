import FlowModel
import Moments
import OAuth
import Policies
import Tokens

enum AuthorizationEndpoint {
    /// The supported parameters; all others are ignored (RFC 6749 §3.1) and not stored with a pushed request.
    static let parameters: Set<String> = [
        "acr_values", "claims", "client_id", "code_challenge", "code_challenge_method", "domain_hint", "id_token_hint",
        "login_hint", "max_age", "nonce", "prompt", "redirect_uri", "registration", "request", "request_uri",
        "resource", "response_mode", "response_type", "scope", "state", "ui_locales",
    ]

    struct Context {
        let settings: AuthoritySettings
        let catalogue: PolicyCatalogue
        let clients: [String: OAuthClient]
        let ring: KeyRing
        let now: Moment
    }

    /// Parses an authorization request, or throws an error to report to the client or to show only to the user.
    static func request(
        _ form: Form,
        policy: Policy,
        _ context: Context
    ) throws(AuthorizationRefusal) -> AuthorizationRequest {
        let client: OAuthClient
        let redirectURI: RedirectURI
        // Until the client and the redirect URI have been checked, no error may be sent to the redirect URI
        // (RFC 6749 §4.1.2.1).
        do throws(OAuthError) {
            client = try AuthorizeChecks.client(form, among: context.clients)
            redirectURI = try AuthorizeChecks.redirectURI(form, of: client)
        } catch {
            throw .page(error)
        }
        func reply(_ mode: ResponseMode?, _ state: String?) -> AuthorizationReply {
            AuthorizationReply(
                clientName: client.summary.name,
                redirectURI: redirectURI.description,
                mode: mode ?? .query,
                state: state,
                issuer: context.settings.issuer(of: policy.id)
            )
        }
        do throws(OAuthError) {
            let mode = try AuthorizeChecks.responseMode(form)
            let single = try AuthorizeChecks.single(form)
            let bounded = try AuthorizeChecks.bounded(single)
            let state = try AuthorizeChecks.state(bounded)
            let own = try AuthorizeChecks.own(bounded)
            let asking = try AuthorizeChecks.registered(client)
            let type = try AuthorizeChecks.responseType(own)
            let challenge = try AuthorizeChecks.challenge(own, for: type)
            var tokens = TokenRequest(scopes: try AuthorizeChecks.scopes(own))
            tokens.omittedScope = .apiDefaults
            let prompts = try AuthorizeChecks.prompts(own, policy)
            tokens.maxAge = try AuthorizeChecks.maxAge(own)
            tokens.acrValues = try AuthorizeChecks.acrValues(own)
            let claims = try AuthorizeChecks.claims(own)
            tokens.resource = try AuthorizeChecks.resource(own, context)
            let hinted = try AuthorizeChecks.hint(own, of: asking, context)
            let user = try AuthorizeChecks.subject(claims, hinted)
            (tokens.policy, tokens.client, tokens.claims) = (policy.id.description, asking.id, claims)
            let resolved = try AuthorizeChecks.resolved(tokens, of: asking, context)
            return AuthorizationRequest(
                reply: reply(mode, state),
                resolved: resolved,
                challenge: challenge,
                nonce: own["nonce"],
                prompts: prompts,
                user: user,
                loginHint: own["login_hint"],
                domainHint: own["domain_hint"],
                locales: own["ui_locales"]
            )
        } catch {
            let state =
                form.repeated.contains("state")
                ? nil : form["state"].flatMap { AuthorizeChecks.comesBack($0) ? $0 : nil }
            throw .answer(reply(form["response_mode"].flatMap(ResponseMode.init), state), error)
        }
    }
}

/// The only supported value of `response_type` (RFC 6749 §3.1.1).
enum ResponseType: String {
    case code
}

/// The checks on an authorization request, in the order of RFC 6749 §4.1.1 and OpenID Connect Core §3.1.2.1.
///
/// Each check returns the value that it validated. The first paragraph of its comment is copied to `docs/authority.md`.
enum AuthorizeChecks {
    /// `client_id` must be present and must name a registered client (RFC 6749 §4.1.1).
    static func client(_ form: Form, among clients: [String: OAuthClient]) throws(OAuthError) -> OAuthClient {
        guard let id = form["client_id"], !form.repeated.contains("client_id") else {
            throw .b2c(.invalidRequest, 90008, "the parameter client_id is missing or repeated")
        }
        guard let client = clients[id] else {
            throw .b2c(.unauthorizedClient, 90018, "no client is registered under this id")
        }
        return client
    }

    /// `redirect_uri` must be present, even if only one URI is registered, and must equal a registered URI (RFC 9700
    /// §4.1.3), except for the port of a loopback address unless the client is of type `browser` (RFC 8252 §7.3).
    static func redirectURI(_ form: Form, of client: OAuthClient) throws(OAuthError) -> RedirectURI {
        guard !client.summary.redirectURIs.isEmpty else {
            throw .b2c(.invalidRequest, 90007, "no redirect URI is registered for this client")
        }
        guard let text = form["redirect_uri"], !form.repeated.contains("redirect_uri") else {
            throw .b2c(.invalidRequest, 90006, "the parameter redirect_uri is missing or repeated")
        }
        guard let asked = try? RedirectURI(text) else {
            throw .b2c(.invalidRequest, 90287, "the redirect URI is not valid")
        }
        guard client.hasRegistered(asked) else {
            throw .b2c(.invalidRequest, 90006, "the redirect URI is not registered for this client")
        }
        return asked
    }

    /// `response_mode`, if present, must be `query`, `fragment` or `form_post` (OAuth 2.0 Multiple Response Type
    /// Encoding Practices §2.1, OAuth 2.0 Form Post Response Mode §2).
    static func responseMode(_ form: Form) throws(OAuthError) -> ResponseMode? {
        guard let text = form["response_mode"] else { return nil }
        guard let mode = ResponseMode(rawValue: text) else {
            throw .b2c(.invalidRequest, 90014, "response_mode must be query, fragment or form_post")
        }
        return mode
    }

    /// No parameter except `resource` may be repeated (RFC 6749 §3.1, RFC 8707 §2).
    static func single(_ form: Form) throws(OAuthError) -> Form {
        guard form.repeated.allSatisfy({ $0 == "resource" }) else {
            throw .invalidRequest("a parameter is repeated")
        }
        return form
    }

    /// The maximum length of a stored parameter value, in bytes.
    static let longest = 4_096

    /// The parameters whose values must not exceed ``longest`` bytes.
    ///
    /// `id_token_hint` contains an entire ID token, and `request` is not supported.
    private static let kept = AuthorizationEndpoint.parameters.subtracting(["id_token_hint", "request"]).sorted()

    /// Stored parameter values must not exceed the maximum length, so that requests cannot fill the database.
    static func bounded(_ form: Form) throws(OAuthError) -> Form {
        for name in kept {
            guard (form[name]?.utf8.count ?? 0) <= longest else {
                throw .invalidRequest("\(name) has more than \(longest) bytes")
            }
        }
        return form
    }

    /// `state` must not contain control characters (RFC 6749 appendix A.5), because a browser changes them when it
    /// posts a form.
    static func state(_ form: Form) throws(OAuthError) -> String? {
        guard let state = form["state"] else { return nil }
        guard comesBack(state) else { throw .invalidRequest("state has a control character") }
        return state
    }

    fileprivate static func comesBack(_ state: String) -> Bool {
        !state.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    private static let unsupported: [(String, OAuthError.Code)] = [
        ("request", .requestNotSupported), ("request_uri", .requestURINotSupported),
        ("registration", .registrationNotSupported),
    ]

    /// The request must not contain a request object or a client registration (OpenID Connect Core §3.1.2.6), and
    /// `request_uri`, if present, must refer to a pushed request (RFC 9126).
    static func own(_ form: Form) throws(OAuthError) -> Form {
        for (name, code) in unsupported where form[name] != nil {
            throw OAuthError(code: code, description: "\(name) is not supported")
        }
        return form
    }

    /// The client must be registered for the authorization code grant (RFC 6749 §4.1.2.1).
    static func registered(_ client: OAuthClient) throws(OAuthError) -> OAuthClient {
        guard client.grants.contains(.authorizationCode) else {
            throw .b2c(.unauthorizedClient, 90057, "the client may not request authorization codes")
        }
        return client
    }

    /// `response_type` must be `code` (RFC 6749 §3.1.1, RFC 9700 §2.1.2).
    static func responseType(_ form: Form) throws(OAuthError) -> ResponseType {
        guard let text = form["response_type"] else {
            throw .b2c(.invalidRequest, 90083, "the parameter response_type is missing")
        }
        guard let type = ResponseType(rawValue: text) else {
            throw .b2c(.unsupportedResponseType, 90013, "the only response_type is code")
        }
        return type
    }

    /// `code_challenge` must be present, even for a confidential client, and its method must be `S256` (RFC 7636 §4.3,
    /// RFC 9700 §2.1.1).
    static func challenge(_ form: Form, for type: ResponseType) throws(OAuthError) -> CodeChallenge {
        switch type {
        case .code: break
        }
        guard let challenge = form["code_challenge"] else {
            throw .b2c(.invalidRequest, 99059, "the parameter code_challenge is missing")
        }
        // Without `code_challenge_method`, the default is `plain`, which is not supported.
        guard form["code_challenge_method"] == CodeChallenge.method else {
            throw .b2c(.invalidRequest, 90184, "the only code_challenge_method is S256")
        }
        return try CodeChallenge(challenge)
    }

    /// `scope` must be a list of scopes separated by single spaces (RFC 6749 §3.3).
    static func scopes(_ form: Form) throws(OAuthError) -> [String] {
        guard let scopes = try? Scope.list(form["scope"] ?? "") else {
            throw .b2c(.invalidScope, 99005, "scope is not a list of scopes")
        }
        return scopes.map(\.name)
    }

    /// `prompt` must be a list of known values, and `none` must not be combined with other values (OpenID Connect Core
    /// §3.1.2.1).
    static func prompts(_ form: Form, _ policy: Policy) throws(OAuthError) -> Set<RequestedPrompt> {
        var prompts: Set<RequestedPrompt> = []
        for word in (form["prompt"] ?? "").split(separator: " ") {
            guard let prompt = RequestedPrompt(rawValue: String(word)) else {
                throw .b2c(.invalidRequest, 90043, "prompt has an unknown value")
            }
            prompts.insert(prompt)
        }
        guard !prompts.contains(.none) || prompts.count == 1 else {
            throw .b2c(.invalidRequest, 90043, "prompt=none cannot be combined with other values")
        }
        guard !prompts.contains(.create) || policy.kind.signsUp else {
            throw .b2c(.invalidRequest, 90043, "this policy cannot create accounts")
        }
        return prompts
    }

    /// `max_age`, if present, must be a number of seconds (OpenID Connect Core §3.1.2.1).
    static func maxAge(_ form: Form) throws(OAuthError) -> Int64? {
        guard let text = form["max_age"] else { return nil }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seconds = Int64(text) else {
            throw .b2c(.invalidRequest, 90120, "max_age is not a number of seconds")
        }
        return seconds
    }

    static let mostContexts = 16

    /// `acr_values`, if present, must be a list of authentication contexts (OpenID Connect Core §3.1.2.1, RFC 9470 §4).
    static func acrValues(_ form: Form) throws(OAuthError) -> [String] {
        let values = (form["acr_values"] ?? "").split(separator: " ").map(String.init)
        guard values.count <= mostContexts else {
            throw .invalidRequest("acr_values has more than \(mostContexts) values")
        }
        return values
    }

    /// `claims`, if present, must be a JSON object (OpenID Connect Core §5.5).
    static func claims(_ form: Form) throws(OAuthError) -> JSONValue? {
        guard let text = form["claims"] else { return nil }
        guard let claims = try? StrictJSON.parse(Array(text.utf8)), claims.object != nil else {
            throw .invalidRequest("claims is not a JSON object")
        }
        return claims
    }

    /// The request may name at most one resource, which must be listed in `apis.NAME.resources` (RFC 8707 §2).
    static func resource(_ form: Form, _ context: AuthorizationEndpoint.Context) throws(OAuthError) -> String? {
        try context.settings.resource(form)
    }

    /// `id_token_hint`, if present, must be an ID token that this authority issued to this client, and may have expired
    /// (OpenID Connect Core §3.1.2.1).
    static func hint(
        _ form: Form,
        of client: OAuthClient,
        _ context: AuthorizationEndpoint.Context
    ) throws(OAuthError) -> UserID? {
        guard let text = form["id_token_hint"] else { return nil }
        guard let hint = IDTokenHint(text, context), hint.client == client.id else {
            throw .b2c(.invalidRequest, 90232, "id_token_hint is not an ID token for this client")
        }
        return hint.user
    }

    /// `claims` may request only one user, as `sub` in `id_token`, and must not contradict `id_token_hint` (OpenID
    /// Connect Core §3.1.2.2, §5.5.1).
    static func subject(_ claims: JSONValue?, _ hinted: UserID?) throws(OAuthError) -> UserID? {
        guard let asked = claims?["id_token"]?["sub"],
            let values = asked["value"].map({ [$0] }) ?? asked["values"]?.array
        else { return hinted }
        guard values.count == 1, let subject = values[0].string else {
            throw .invalidRequest("claims must identify one user, by sub in id_token")
        }
        let user = UserID(oid: subject)
        guard hinted ?? user == user else {
            throw .invalidRequest("claims and id_token_hint name different users")
        }
        return user
    }

    /// The policy and the client must allow the requested scopes, resource and authentication contexts.
    ///
    /// ``RequestChecks`` contains the individual checks.
    static func resolved(
        _ request: TokenRequest,
        of client: OAuthClient,
        _ context: AuthorizationEndpoint.Context
    ) throws(OAuthError) -> ResolvedRequest {
        do throws(Refusal) {
            return try request.resolved(
                settings: context.settings,
                catalogue: context.catalogue,
                clients: [client.id: client]
            )
        } catch {
            throw OAuthError(error, from: .authorizationEndpoint)
        }
    }
}
