public import OAuth
public import Policies
import StrictYAML

/// An external authority whose tokens are stored for users, and the daemon's registration with that authority.
public struct OutsideAuthoritySettings: Hashable, Sendable {
    /// The name that selects this authority when a request specifies it in place of a policy.
    public let name: String
    /// The name that is shown to users.
    public let displayName: String
    /// The issuer, or the tenant's URL without a trailing slash if the authority has policies.
    public let issuer: String
    /// The part of the authority's URLs that contains the policy, or `nil` for an authority without policies.
    public let policyIn: PolicyPlace?
    /// The daemon's client id at the authority.
    public let clientID: String
    /// The client secret, or `nil` for a public client or a client with a key.
    public let secret: Secret?
    /// The client's private key, or `nil` for a public client or a client with a secret.
    public let key: OutsideKeySettings?
    /// How the daemon obtains tokens from the authority.
    public let grant: OutsideGrant
    /// The uids that may use the authority's tokens, or `nil` for every uid.
    public let uids: Set<UInt32>?
    /// The scopes of the local token that the daemon exchanges for the authority's tokens (RFC 8693).
    public let subjectScopes: [String]
    /// The value of `subject_issuer` in a token exchange, or `nil` to omit the parameter.
    public let subjectIssuer: String?
    /// The API to request a token for if the caller specifies no API, or `nil` to request a token without an API.
    public let resource: String?
    /// The request parameter in which the authority expects the API.
    public let resourceAs: ResourceParameter
    /// The loopback redirect URIs that are registered at the authority.
    public let loopbackURIs: [LoopbackURI]
    /// Whether this daemon's `oauth2/authresp` URL is registered at the authority as a redirect URI.
    public let returnsHere: Bool
    /// The client authentication method, or `nil` to choose a method that the authority supports.
    public let authMethod: ClientSecretMethod?
    /// The scopes to request if a token request specifies no scopes.
    public let scopes: [String]
    /// Additional scopes that the user consents to at sign-in.
    public let additionalScopes: [String]
    /// Additional parameters of the authorization request.
    public let parameters: [String: String]
    /// The origins to which the authority's tokens may be sent.
    public let origins: [WebOrigin]

    init(name: String, _ value: YAMLValue, here: String, folder: String, problems: inout [Problem]) {
        let place = "authorities.\(name)"
        if name == Policy.local {
            problems.append(value.problem("`\(place)`: the name `local` is reserved for this authority"))
        }
        if (try? PolicyID(name)) != nil {
            problems.append(
                value.problem(
                    "`\(place)` is the name of a policy; requests specify an authority in place of a policy, so choose another name"
                )
            )
        }
        self.name = name
        displayName = value["displayName"].optionalText ?? name
        clientID = value["clientId"].text
        let url = value["url"].text
        let usualScope: String
        switch value["kind"].text {
        case "b2c":
            if url.contains("?") {
                problems.append(value["url"].problem("`\(place).url` must not have a query if `kind` is b2c"))
            }
            issuer = url.hasSuffix("/") ? String(url.dropLast()) : url
            if let tenant = Self.tenant(of: issuer) {
                let what = "`\(place).url` is the issuer of a policy; write the URL of the tenant: \(tenant)"
                problems.append(value["url"].problem(what))
            }
            policyIn = value["policyIn"].optionalChoice() ?? .path
            usualScope = clientID
        default:
            if value["policyIn"].isPresent {
                problems.append(value["policyIn"].problem("`\(place).policyIn` is for authorities of kind b2c"))
            }
            issuer = url
            policyIn = nil
            usualScope = "openid"
        }
        authMethod = value["authMethod"].optionalChoice()
        grant = value["grant"].choice(refused: .authorizationCode)
        let usualScopes: [String] =
            switch grant {
            case .authorizationCode: [usualScope]
            case .clientCredentials, .tokenExchange: []
            }
        scopes = value["scopes"].isPresent ? value["scopes"].items.map(\.text) : usualScopes
        uids = value["uids"].isPresent ? Set(value["uids"].items.map { UInt32(clamping: $0.number) }) : nil
        subjectScopes = value["subjectScopes"].items.map(\.text)
        subjectIssuer = value["subjectIssuer"].optionalText
        resource = value["resource"].optionalText
        resourceAs = value["resourceAs"].choice(refused: .resource)
        let returns = value["redirectURIs"].items.map(\.text)
        loopbackURIs = returns.isEmpty ? [.usual] : returns.filter { $0 != here }.compactMap(LoopbackURI.init)
        returnsHere = returns.isEmpty || returns.contains(here)
        key = OutsideKeySettings(value, place, folder: folder, problems: &problems)
        additionalScopes = value["additionalScopes"].items.map(\.text)
        parameters = value["parameters"].texts
        origins = value["origins"].items.compactMap { WebOrigin($0.text) }
        secret = Self.secret(value, place, folder, problems: &problems)
        OutsideGrantRules(value: value, key: place, grant: grant, here: here).check(&problems)
    }

    /// Returns the URL of the tenant if `url` is the issuer of one of its policies, or `nil` otherwise.
    private static func tenant(of url: String) -> String? {
        var parts = url.split(separator: "/", omittingEmptySubsequences: false)
        if parts.last == "v2.0" { parts.removeLast() }
        if let last = parts.last, (try? PolicyID(String(last))) != nil { parts.removeLast() }
        let tenant = parts.joined(separator: "/")
        return tenant == url ? nil : tenant
    }

    private static func secret(
        _ value: YAMLValue,
        _ key: String,
        _ folder: String,
        problems: inout [Problem]
    ) -> Secret? {
        let file = value["clientSecretFile"]
        guard file.isPresent else {
            if value["authMethod"].isPresent, !value["privateKeyFile"].isGiven {
                let what = "`\(key).authMethod` needs a client secret"
                problems.append(value["authMethod"].problem(what))
            }
            return nil
        }
        return file.secret("\(key).clientSecretFile", from: folder, problems: &problems)
    }
}
