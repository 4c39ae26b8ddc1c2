public import OAuth
public import Policies
import StrictYAML

/// An outside authority whose tokens are kept for people, and our registration there.
public struct OutsideAuthoritySettings: Hashable, Sendable {
    /// The name, as requests say it in the place of a policy.
    public let name: String
    /// The name that people see.
    public let displayName: String
    /// The issuer; of one with policies, the address of its tenant, without a slash at its end.
    public let issuer: String
    /// The place of a policy's name in its addresses; nil for an authority without policies.
    public let policyIn: PolicyPlace?
    /// Our client id there.
    public let clientID: String
    /// Our secret there; nil for a public client, or one with a key.
    public let secret: Secret?
    /// Our private key there; nil if a secret, or nothing, proves who we are.
    public let key: OutsideKeySettings?
    /// The grant by which its tokens come.
    public let grant: OutsideGrant
    /// The uids that may have its tokens; nil for all.
    public let uids: Set<UInt32>?
    /// The scopes of our token that is exchanged.
    public let subjectScopes: [String]
    /// Our name there, for an exchange; nil if it is not told.
    public let subjectIssuer: String?
    /// The API of a token that is asked for without any.
    public let resource: String?
    /// The parameter that names an API.
    public let resourceAs: ResourceParameter
    /// The addresses on loopback that it sends people back to.
    public let loopbackURIs: [LoopbackURI]
    /// True if it sends people back to this daemon.
    public let returnsHere: Bool
    /// The method of client authentication; nil for one that the authority offers.
    public let authMethod: ClientSecretMethod?
    /// The scopes of a token that is asked for without any.
    public let scopes: [String]
    /// What to ask consent for, too.
    public let additionalScopes: [String]
    /// More parameters of the authorization request.
    public let parameters: [String: String]
    /// The origins that its tokens may be sent to.
    public let origins: [WebOrigin]

    init(name: String, _ value: YAMLValue, here: String, folder: String, problems: inout [Problem]) {
        let place = "authorities.\(name)"
        if name == Policy.local {
            problems.append(value.problem("`\(place)`: local is this authority itself"))
        }
        if (try? PolicyID(name)) != nil {
            problems.append(value.problem("`\(place)` has the name of a policy; requests name it in a policy's place"))
        }
        self.name = name
        displayName = value["displayName"].optionalText ?? name
        clientID = value["clientId"].text
        let url = value["url"].text
        let usualScope: String
        switch value["kind"].text {
        case "b2c":
            if url.contains("?") { problems.append(value["url"].problem("`\(place).url` of kind b2c has no query")) }
            issuer = url.hasSuffix("/") ? String(url.dropLast()) : url
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

    private static func secret(
        _ value: YAMLValue,
        _ key: String,
        _ folder: String,
        problems: inout [Problem]
    ) -> Secret? {
        let file = value["clientSecretFile"]
        guard file.isPresent else {
            if value["authMethod"].isPresent, !value["privateKeyFile"].isGiven {
                let what = "`\(key).authMethod`: a client without a secret proves nothing"
                problems.append(value["authMethod"].problem(what))
            }
            return nil
        }
        return file.secret("\(key).clientSecretFile", from: folder, problems: &problems)
    }
}
