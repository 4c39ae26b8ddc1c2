import FlowModel
import OAuth
import Policies

struct RequestTerms {
    let request: TokenRequest
    let settings: AuthoritySettings
    let catalogue: PolicyCatalogue
    let policy: Policy
    let client: OAuthClient
    var stepUp: Policy?

    var policies: [Policy] { [policy] + [stepUp].compactMap { $0 } }
}

/// The requested scopes, sorted, without duplicates and without the API's name.
struct RequestedScopes {
    /// The API, or `nil` if the token is for the client itself.
    let api: ProtectedAPI?
    let needed: [String]
    /// The additional scopes to request if the user is prompted anyway.
    let additional: [String]
}

extension TokenRequest {
    /// Fills in the request's omitted values with its policy's defaults, or throws if the request can never be granted.
    func resolved(
        settings: AuthoritySettings,
        catalogue: PolicyCatalogue,
        clients: [String: OAuthClient]
    ) throws(Refusal) -> ResolvedRequest {
        let named = try PolicyCheck.policy(policy, settings: settings, catalogue: catalogue)
        let terms = RequestTerms(
            request: self,
            settings: settings,
            catalogue: catalogue,
            policy: try PolicyCheck.issuing(for: named, self, in: catalogue),
            client: try ClientCheck.client(client, clients: clients),
            stepUp: named.kind.stepsUp ? named : nil
        )
        let asked = try RequestChecks.scopes(terms)
        let resource = try RequestChecks.resource(asked, terms)
        let allowed = try RequestChecks.client(asked, terms)
        let granted = try RequestChecks.policy(allowed, terms)
        let required = try RequestChecks.known(granted, terms)
        let acrValues = try RequestChecks.claims(terms)
        let checks = try RequestChecks.contexts(acrValues, reachedBy: required.checks, terms)
        let maxAge = try RequestChecks.maxAge(terms)
        return ResolvedRequest(
            policy: terms.policy.id,
            client: terms.client.id,
            audience: granted.api?.audience ?? terms.client.id,
            api: granted.api?.name,
            resource: resource,
            spelledScopes: scopes,
            scopes: granted.needed,
            additionalScopes: granted.additional,
            checks: checks,
            additionalChecks: required.additional,
            acrValues: acrValues,
            maxAge: maxAge
        )
    }
}

/// The checks on a request whose policy and client are known, each of which returns the value it validated.
///
/// The first paragraph of each comment is copied to `docs/authority.md`.
enum RequestChecks {
    /// Every scope must exist, and all scopes must belong to one API, because a token has one audience (RFC 8707 §2.2).
    static func scopes(_ terms: RequestTerms) throws(Refusal) -> RequestedScopes {
        let request = terms.request
        guard request.scopes.count + request.additionalScopes.count <= Scope.maxCount else {
            throw Refusal(.scopeDenied, Text("refusal.tooManyScopes", ["max": Scope.maxCount]))
        }
        if request.scopes.isEmpty, request.omittedScope == .apiDefaults { return try defaults(terms) }
        let asked = request.scopes.isEmpty ? try usual(terms) : try find(request.scopes, terms)
        let additional = try find(request.additionalScopes, terms)
        // A request with only OpenID Connect scopes requests a token for the client itself.
        let wanted = asked.isEmpty ? [Found(api: nil, scope: terms.client.id)] : asked
        let apis = Set((wanted + additional).map(\.api))
        guard apis.count == 1 else {
            throw Refusal(.scopeDenied, Text("refusal.scopesOfTwoAPIs")).with(.severalAPIs)
        }
        let needed = Set(wanted.map(\.scope))
        return RequestedScopes(
            api: wanted.first?.api.flatMap { terms.settings.apis[$0] },
            needed: needed.sorted(),
            additional: Set(additional.map(\.scope)).subtracting(needed).sorted()
        )
    }

    /// The resource, if present, must be the audience, the name or a URI of the API that the scopes belong to
    /// (RFC 8707 §2).
    static func resource(_ scopes: RequestedScopes, _ terms: RequestTerms) throws(Refusal) -> String? {
        guard let resource = terms.request.resource else { return nil }
        let names = scopes.api?.names ?? [terms.client.id]
        guard names.contains(resource) else {
            throw Refusal(.scopeDenied, Text("refusal.scopesNotOfResource")).with(.resource, resource)
        }
        return scopes.api?.resources.contains(resource) == true ? resource : nil
    }

    /// The client must be allowed to request the API and each scope.
    static func client(_ scopes: RequestedScopes, _ terms: RequestTerms) throws(Refusal) -> RequestedScopes {
        guard let api = scopes.api else { return scopes }
        let client = terms.client
        let asked = scopes.needed + scopes.additional
        let denied = asked.first { !client.mayAsk(for: $0, of: api.name) }.map { "\(api.name)/\($0)" }
        if let denied = denied ?? (client.apis.contains(api.name) ? nil : api.name) {
            throw forbidden(denied, to: client)
        }
        return scopes
    }

    /// The policy must grant each scope, and so must the step-up policy if there is one.
    static func policy(_ scopes: RequestedScopes, _ terms: RequestTerms) throws(Refusal) -> RequestedScopes {
        guard let api = scopes.api else { return scopes }
        for scope in scopes.needed + scopes.additional {
            for policy in terms.policies where policy.checks(forScope: scope, api: api.name) == nil {
                throw ungranted("\(api.name)/\(scope)", by: policy)
            }
        }
        return scopes
    }

    /// Each check that a scope requires must exist, including the checks that a step-up policy adds.
    static func known(
        _ scopes: RequestedScopes,
        _ terms: RequestTerms
    ) throws(Refusal) -> (checks: [String], additional: [String]) {
        let stepUp = terms.stepUp?.mandatoryScope ?? []
        let checks = terms.catalogue.ordered(try checks(of: scopes.needed, scopes.api, terms) + stepUp)
            .map(\.name).filter { !terms.policy.baseChecks.contains($0) }
        return (checks, try self.checks(of: scopes.additional, scopes.api, terms))
    }

    /// An essential `acr` claim in the `claims` parameter has the same effect as `acr_values` (OpenID Connect Core
    /// §5.5.1.1), and the policy determines all other claims.
    static func claims(_ terms: RequestTerms) throws(Refusal) -> [String] {
        var acrValues = terms.request.acrValues
        for member in ["id_token", "access_token"] {
            guard let acr = terms.request.claims?[member]?["acr"], acr["essential"]?.bool == true else { continue }
            let values = acr["values"]?.strings ?? acr["value"]?.string.map { [$0] } ?? []
            guard !values.isEmpty else { continue }
            acrValues = acrValues.isEmpty ? values : acrValues.filter(values.contains)
            guard !acrValues.isEmpty else {
                throw Refusal(.unmetAuthenticationRequirements, Text("refusal.noCommonContext"))
            }
        }
        return acrValues
    }

    /// At least one of the policy's checks must satisfy a requested authentication context, and such a check is added
    /// if the request does not already require one (RFC 9470 §4).
    static func contexts(
        _ acrValues: [String],
        reachedBy checks: [String],
        _ terms: RequestTerms
    ) throws(Refusal) -> [String] {
        guard !acrValues.isEmpty else { return checks }
        let (catalogue, policy) = (terms.catalogue, terms.policy)
        let reached = { (names: [String]) in
            names.contains { name in catalogue[check: name].map { acrValues.contains($0.acr) } ?? false }
        }
        if reached(policy.baseChecks + checks) { return checks }
        let others = catalogue.ordered(policy.secondFactor.checks + policy.scopeChecks).map(\.name)
        guard let extra = others.first(where: { reached([$0]) }) else {
            let names = acrValues.prefix(8)
                .filter { $0.utf8.count <= 64 && $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
            throw Refusal(
                .unmetAuthenticationRequirements,
                Text(
                    "refusal.policyReachesNoContext",
                    ["policy": policy.id.description, "contexts": Text.comma(Array(names))]
                )
            )
        }
        return catalogue.ordered(checks + [extra]).map(\.name)
    }

    /// `max_age` must not be negative (OpenID Connect Core §3.1.2.1).
    static func maxAge(_ terms: RequestTerms) throws(Refusal) -> Int64? {
        guard (terms.request.maxAge ?? 0) >= 0 else {
            throw Refusal(.unmetAuthenticationRequirements, Text("refusal.maxAgeNegative"))
        }
        return terms.request.maxAge
    }

    // MARK: Scopes of a request, and the checks that they require

    /// The scopes that belong to no API, which are ignored when the request's API is determined.
    static let impliedScopes: Set<String> = [
        Scope.openid.name, Scope.offlineAccess.name, Scope.profile.name, Scope.email.name,
    ]

    private struct Found: Hashable {
        /// The API's name, or `nil` if the scope is for the client itself.
        let api: String?
        let scope: String
    }

    /// Returns the scopes that the client gets without additional checks if it requests none (RFC 6749 §3.3).
    ///
    /// - Throws: `scope_denied` if there are no such scopes, or if they belong to more than one API.
    private static func usual(_ terms: RequestTerms) throws(Refusal) -> [Found] {
        let (policy, client) = (terms.policy, terms.client)
        let granted = policy.scopes.keys.compactMap { try? find($0, terms) }
            .filter { policy.checks(forScope: $0.scope, api: $0.api, client: client.id)?.isEmpty == true }
            .filter { found in found.api.map { client.mayAsk(for: found.scope, of: $0) } ?? false }
            .filter { found in terms.request.resource.map { names(of: found.api, terms).contains($0) } ?? true }
        if Set(granted.map(\.api)).count == 1 { return granted }
        throw missing(terms)
    }

    /// Returns the default scopes of the requested API that the client may request and the policy grants.
    ///
    /// There are none if the API has no default scopes. `resource` names the API. Without `resource`, it is the client's
    /// only API, or else its only API with default scopes.
    ///
    /// - Throws: `scope_denied` if the API is unclear, or if it has scopes but none of its default scopes is allowed. If
    ///   no scope is a default, any of them is sufficient.
    private static func defaults(_ terms: RequestTerms) throws(Refusal) -> RequestedScopes {
        let (all, client) = (terms.settings.apis, terms.client)
        let apis: [ProtectedAPI]
        if let resource = terms.request.resource {
            apis = all.values.filter { $0.names.contains(resource) }
        } else {
            let own = Set(client.apis).compactMap { all[$0] }
            apis = own.count == 1 ? own : own.filter { !$0.defaultScopes.isEmpty }
        }
        guard apis.count == 1, let api = apis.first else { throw missing(terms) }
        let usable = api.defaultScopes.isEmpty ? api.scopes.keys.sorted() : api.defaultScopes
        let requestable = usable.filter { client.mayAsk(for: $0, of: api.name) }
        let granted = requestable.filter { scope in
            terms.policies.allSatisfy { $0.checks(forScope: scope, api: api.name) != nil }
        }
        guard usable.isEmpty || !requestable.isEmpty else { throw forbidden(api.name, to: client) }
        guard usable.isEmpty || !granted.isEmpty else {
            throw ungranted(api.name, by: terms.policy).with(.notPermitted)
        }
        return RequestedScopes(
            api: api,
            needed: api.defaultScopes.isEmpty ? [] : Set(granted).sorted(),
            additional: []
        )
    }

    private static func forbidden(_ scope: String, to client: OAuthClient) -> Refusal {
        Refusal(.scopeDenied, Text("refusal.clientMayNotAsk", ["client": client.id, "scope": scope]))
            .with(.notPermitted)
    }

    private static func ungranted(_ scope: String, by policy: Policy) -> Refusal {
        Refusal(.scopeDenied, Text("refusal.policyDoesNotGrant", ["policy": policy.id.description, "scope": scope]))
    }

    private static func missing(_ terms: RequestTerms) -> Refusal {
        let refusal = Refusal(.scopeDenied, Text("refusal.scopeMissing")).with(.missing)
        return terms.request.resource.map { refusal.with(.resource, $0) } ?? refusal
    }

    private static func names(of api: String?, _ terms: RequestTerms) -> [String] {
        api.flatMap { terms.settings.apis[$0] }?.names ?? []
    }

    private static func find(_ texts: [String], _ terms: RequestTerms) throws(Refusal) -> [Found] {
        var found: [Found] = []
        for text in texts {
            if let scope = try find(text, terms) { found.append(scope) }
        }
        return found
    }

    private static func find(_ text: String, _ terms: RequestTerms) throws(Refusal) -> Found? {
        if impliedScopes.contains(text) { return nil }
        if text == terms.client.id { return Found(api: nil, scope: text) }
        let all = terms.settings.apis
        if let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) {
            let (name, scope) = (String(text[..<slash]), String(text[text.index(after: slash)...]))
            let api = all[name] ?? all.values.first { $0.audience == name }
            guard let api, api.scopes[scope] != nil else { throw unknown(text) }
            return Found(api: api.name, scope: scope)
        }
        var apis = all.values.filter { $0.scopes[text] != nil }
        if apis.count > 1, let resource = terms.request.resource {
            apis = apis.filter { $0.names.contains(resource) }
        }
        guard let api = apis.first else { throw unknown(text) }
        guard apis.count == 1 else {
            let names = apis.map { "\($0.name)/\(text)" }.sorted()
            throw Refusal(.scopeDenied, Text("refusal.scopeNotUnique", ["scopes": Text.comma(names)]))
        }
        return Found(api: api.name, scope: text)
    }

    private static func unknown(_ text: String) -> Refusal {
        // The error includes only a syntactically valid scope, so that no control characters reach a terminal.
        let text = (try? Scope(text)).map { Text("refusal.noSuchScope", ["scope": $0.name]) }
        return Refusal(.scopeDenied, text ?? Text("refusal.noRequestedScope"))
    }

    private static func checks(
        of scopes: [String],
        _ api: ProtectedAPI?,
        _ terms: RequestTerms
    ) throws(Refusal) -> [String] {
        guard let api else { return [] }
        var names: Set<String> = []
        for scope in scopes {
            let required = terms.policies.flatMap {
                $0.checks(forScope: scope, api: api.name, client: terms.client.id) ?? []
            }
            for name in required {
                guard terms.catalogue[check: name] != nil else {
                    throw Refusal(
                        .scopeDenied,
                        Text("refusal.scopeNeedsUnknownCheck", ["scope": scope, "check": name])
                    )
                    .with(.check, name)
                }
                names.insert(name)
            }
        }
        names.subtract(terms.policy.baseChecks)
        return terms.catalogue.ordered(names).map(\.name)
    }
}
