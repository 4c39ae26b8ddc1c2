public import FlowModel
import Foundation
public import OAuth
import Spelling
import StrictYAML

/// A client of the authority, as the file describes it.
public struct ClientSettings: Hashable, Sendable {
    /// The client id.
    public let id: String
    /// Client type: able to keep a secret, or not (RFC 6749 §2.1).
    public let kind: ClientType
    /// Name that people see.
    public let name: String
    /// True if people are not asked for consent.
    public let isFirstParty: Bool
    /// The names of the APIs it may ask tokens for.
    public let apis: [String]
    /// Redirect URIs after sign-in.
    public let redirectURIs: [String]
    /// Redirect URIs after sign-out.
    public let postLogoutRedirectURIs: [String]
    /// Address for back-channel logout.
    public let backchannelLogoutURI: String?
    /// The grants it may use.
    public let grants: [GrantType]
    /// The things with which it proves who it is.
    public let proof: ClientProof
    /// Methods of client authentication, as `token_endpoint_auth_method` names them; none of a public client.
    public let authMethods: [ClientAuthenticationMethod]
    /// Algorithms of its tokens.
    public let signing: TokenSigning
    /// The users who may use it at the socket, if it is confidential.
    public let allowedUIDs: [UInt32]
    /// The names of the groups whose processes may use it at the socket, if it is confidential.
    public let allowedGroups: [String]

    init(id: String, _ value: YAMLValue, folder: String, problems: inout [Problem]) {
        self.id = id
        kind = value["type"].choice(refused: .public)
        name = value["name"].optionalText ?? BrokerConfiguration.commandLineNames[id] ?? id
        isFirstParty = value["firstParty"].flag
        apis = value["apis"].items.map(\.text)
        redirectURIs = value["redirectURIs"].items.map(\.text)
        postLogoutRedirectURIs = value["postLogoutRedirectURIs"].items.map(\.text)
        backchannelLogoutURI = value["backchannelLogoutURI"].optionalText
        grants = value["grants"].items.compactMap { $0.optionalChoice() }
        proof = ClientProof(value, folder: folder, name: "clients.\(id)", problems: &problems)
        let given: [ClientAuthenticationMethod] = value["authMethods"].items.compactMap { $0.optionalChoice() }
        authMethods = given.isEmpty ? Self.methods(value) : given
        signing = TokenSigning(
            idToken: value["idTokenAlg"].choice(refused: .es256),
            accessToken: value["accessTokenAlg"].choice(refused: .es256)
        )
        allowedUIDs = value["allow"]["uids"].items.map { UInt32(clamping: $0.number) }
        allowedGroups = value["allow"]["groups"].items.map(\.text)
    }

    /// One of the two command lines, which are always there.
    init(commandLine id: String, named name: String, apis: [String]) {
        self.id = id
        kind = .public
        self.name = name
        isFirstParty = true
        self.apis = apis
        redirectURIs = ["http://localhost"]
        postLogoutRedirectURIs = []
        backchannelLogoutURI = nil
        grants = GrantType.ofPublicClients
        proof = .none
        authMethods = []
        signing = TokenSigning()
        allowedUIDs = []
        allowedGroups = []
    }

    private static let keyKeys = ["jwks", "jwksFile"]

    /// The methods that a client has what is needed for.
    private static func methods(_ value: YAMLValue) -> [ClientAuthenticationMethod] {
        let secret: [ClientAuthenticationMethod] =
            value["secretFile"].isPresent ? [.clientSecretBasic, .clientSecretPost] : []
        return secret + (keyKeys.contains { value[$0].isPresent } ? [.privateKeyJWT] : [])
    }

    /// The problems of keys that do not fit together.
    func problems(_ value: YAMLValue, apis known: [String], base: String) -> [Problem] {
        var problems: [Problem] = []
        for api in value["apis"].items where !known.contains(api.text) {
            let hint = NearestName.of(api.text, among: known).map { "; did you mean \($0)?" } ?? ""
            problems.append(api.problem("`clients.\(id).apis`: \(api.text) is none of `apis`\(hint)"))
        }
        switch kind {
        case .public:
            for key in ["secretFile", "authMethods"] + Self.keyKeys where value[key].isPresent {
                problems.append(value[key].problem("`clients.\(id).\(key)`: a public client has no secret and no key"))
            }
            if value["allow"].isGiven {
                problems.append(
                    value["allow"].problem("`clients.\(id).allow`: every local caller may use a public client")
                )
            }
            let proved: [GrantType] = [.clientCredentials, .jwtBearer, .tokenExchange]
            for grant in value["grants"].items where grant.optionalChoice().map(proved.contains) == true {
                problems.append(grant.problem("`clients.\(id).grants`: \(grant.text) is for confidential clients"))
            }
        case .confidential:
            let able = Self.methods(value)
            if able.isEmpty {
                problems.append(
                    value.problem(
                        "`clients.\(id).secretFile` is missing: a confidential client has a secret, or keys in `jwks`"
                    )
                )
            }
            for method in value["authMethods"].items {
                guard let word = method.optionalChoice(ClientAuthenticationMethod.self), !able.contains(word) else {
                    continue
                }
                let missing = word == .privateKeyJWT ? "jwks" : "secretFile"
                problems.append(
                    method.problem("`clients.\(id).authMethods`: \(method.text) needs `clients.\(id).\(missing)`")
                )
            }
        }
        if backchannelLogoutURI != nil, base.hasPrefix("http:") {
            problems.append(
                value["backchannelLogoutURI"].warning(
                    "`clients.\(id).backchannelLogoutURI` has no effect where `issuerBase` is http: no session stays there"
                )
            )
        }
        if grants.contains(.authorizationCode), redirectURIs.isEmpty {
            problems.append(value.warning("`clients.\(id)` has no redirect URI, so no browser can sign in for it"))
        }
        return problems
    }
}
