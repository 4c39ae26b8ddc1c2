import FlowModel
import OAuth
import Policies

/// Every scope must exist, and all must be of one API: a token has one audience (RFC 8707 §2.2).
struct ScopeCheck: RequestCheck {
    func apply(to draft: inout RequestDraft) throws(Refusal) {
        guard draft.request.scopes.count + draft.request.additionalScopes.count <= Scope.maxCount else {
            throw Refusal(.scopeDenied, "more than \(Scope.maxCount) scopes")
        }
        let asked = draft.request.scopes.isEmpty ? try Self.usual(draft) : try Self.find(draft.request.scopes, draft)
        let additional = try Self.find(draft.request.additionalScopes, draft)
        // Scopes of OpenID Connect alone request a token for the client itself.
        let wanted = asked.isEmpty ? [Found(api: nil, scope: draft.client.id)] : asked
        let apis = Set((wanted + additional).map(\.api))
        guard apis.count == 1 else {
            throw Refusal(.scopeDenied, "the scopes are of two APIs, and a token is for one").with(.severalAPIs)
        }
        draft.api = wanted.first?.api.flatMap { draft.settings.apis[$0] }
        draft.scopes = Set(wanted.map(\.scope)).sorted()
        draft.additionalScopes = Set(additional.map(\.scope)).subtracting(draft.scopes).sorted()
    }

    /// The scopes of a request that names none (RFC 6749 §3.3): those that the policy grants to this client without a
    /// further check, if all are of one API.
    private static func usual(_ draft: RequestDraft) throws(Refusal) -> [Found] {
        let (policy, client) = (draft.policy, draft.client)
        let granted = policy.scopes.keys.compactMap { try? find($0, draft) }
            .filter { policy.checks(forScope: $0.scope, api: $0.api, client: client.id)?.isEmpty == true }
            .filter { found in found.api.map { client.mayAsk(for: found.scope, of: $0) } ?? false }
            .filter { found in draft.request.resource.map { names(of: found.api, draft).contains($0) } ?? true }
        if Set(granted.map(\.api)).count == 1 { return granted }
        let refusal = Refusal(.scopeDenied, "name at least one scope").with(.missing)
        throw draft.request.resource.map { refusal.with(.resource, $0) } ?? refusal
    }

    private static func names(of api: String?, _ draft: RequestDraft) -> [String] {
        api.flatMap { draft.settings.apis[$0] }?.names ?? []
    }

    private struct Found: Hashable {
        /// The API's name; nil for the client itself.
        let api: String?
        let scope: String
    }

    /// Scopes that every answer serves anyway: it always has an ID token and a refresh token.
    static let implied: Set<String> = [
        Scope.openid.name, Scope.offlineAccess.name, Scope.profile.name, Scope.email.name,
    ]

    private static func find(_ texts: [String], _ draft: RequestDraft) throws(Refusal) -> [Found] {
        var found: [Found] = []
        for text in texts {
            if let scope = try find(text, draft) { found.append(scope) }
        }
        return found
    }

    private static func find(_ text: String, _ draft: RequestDraft) throws(Refusal) -> Found? {
        if implied.contains(text) { return nil }
        if text == draft.client.id { return Found(api: nil, scope: text) }
        if let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) {
            let (name, scope) = (String(text[..<slash]), String(text[text.index(after: slash)...]))
            let api = draft.settings.apis[name] ?? draft.settings.apis.values.first { $0.audience == name }
            guard let api, api.scopes[scope] != nil else { throw unknown(text) }
            return Found(api: api.name, scope: scope)
        }
        var apis = draft.settings.apis.values.filter { $0.scopes[text] != nil }
        if apis.count > 1, let resource = draft.request.resource {
            apis = apis.filter { $0.names.contains(resource) }
        }
        guard let api = apis.first else { throw unknown(text) }
        guard apis.count == 1 else {
            let names = apis.map { "\($0.name)/\(text)" }.sorted().joined(separator: ", ")
            throw Refusal(.scopeDenied, "the scope is not unique; name one of \(names)")
        }
        return Found(api: api.name, scope: text)
    }

    private static func unknown(_ text: String) -> Refusal {
        // The text is repeated only if it has the form of a scope, so that no control characters reach a terminal.
        let name = (try? Scope(text))?.name ?? "that was asked for"
        return Refusal(.scopeDenied, "there is no scope \(name)")
    }
}
