public import FlowModel
import Foundation
public import OAuth
import Spelling
import StrictYAML

/// A client of the authority, as configured in `tokenbrokerd.yaml`.
public struct ClientSettings: Hashable, Sendable {
    /// The `client_id`.
    public let id: String
    /// The client's type, which is public, browser or confidential (RFC 6749 §2.1).
    public let kind: ClientType
    /// The name that is shown to users.
    public let name: String
    /// Whether the consent prompt is skipped.
    public let isFirstParty: Bool
    /// The names of the APIs for which the client may request tokens.
    public let apis: [String]
    /// The URIs to which the browser may be redirected after sign-in.
    public let redirectURIs: [String]
    /// The URIs to which the browser may be redirected after sign-out.
    public let postLogoutRedirectURIs: [String]
    /// The URL that receives logout tokens, or `nil` if the client does not use back-channel logout.
    public let backchannelLogoutURI: String?
    /// The grants that the client may use.
    public let grants: [GrantType]
    /// The credentials of a confidential client.
    public let proof: ClientProof
    /// The permitted values of `token_endpoint_auth_method`, or an empty array for a public client.
    public let authMethods: [ClientAuthenticationMethod]
    /// The algorithms with which the client's tokens are signed.
    public let signing: TokenSigning
    /// The uids that may use this confidential client over the socket.
    public let allowedUIDs: [UInt32]
    /// The groups whose members may use this confidential client over the socket.
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

    /// Creates the settings of a command-line client, which is always registered.
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

    private static func methods(_ value: YAMLValue) -> [ClientAuthenticationMethod] {
        let secret: [ClientAuthenticationMethod] =
            value["secretFile"].isPresent ? [.clientSecretBasic, .clientSecretPost] : []
        return secret + (keyKeys.contains { value[$0].isPresent } ? [.privateKeyJWT] : [])
    }

    func problems(_ value: YAMLValue, apis known: [String], base: String) -> [Problem] {
        var problems: [Problem] = []
        for api in value["apis"].items where !known.contains(api.text) {
            let hint = NearestName.of(api.text, among: known).map { "; did you mean \($0)?" } ?? ""
            problems.append(api.problem("`clients.\(id).apis`: `apis` does not define \(api.text)\(hint)"))
        }
        switch kind {
        case .public, .browser:
            for key in ["secretFile", "authMethods"] + Self.keyKeys where value[key].isPresent {
                problems.append(
                    value[key].problem(
                        "`clients.\(id).\(key)`: a \(kind.rawValue) client cannot have a secret or a key"
                    )
                )
            }
            if value["allow"].isGiven {
                problems.append(
                    value["allow"].problem(
                        "`clients.\(id).allow`: every local caller may use a \(kind.rawValue) client"
                    )
                )
            }
            let proved: [GrantType] = [.clientCredentials, .jwtBearer, .tokenExchange]
            for grant in value["grants"].items where grant.optionalChoice().map(proved.contains) == true {
                problems.append(grant.problem("`clients.\(id).grants`: \(grant.text) is for confidential clients"))
            }
            if kind == .browser { problems += browserProblems(value) }
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
                    "`clients.\(id).backchannelLogoutURI` has no effect if `issuerBase` is http: no sessions are stored"
                )
            )
        }
        if grants.contains(.authorizationCode), redirectURIs.isEmpty {
            problems.append(value.warning("`clients.\(id)` has no redirect URI, so no browser can sign in for it"))
        }
        return problems
    }

    /// Returns the problems of a client of type `browser`, whose pages call the authority from their own origins.
    private func browserProblems(_ value: YAMLValue) -> [Problem] {
        let grants = value["grants"].items.filter { $0.optionalChoice() == GrantType.deviceCode }.map { grant in
            grant.problem("`clients.\(id).grants`: \(grant.text) is not for browser clients; use type: public")
        }
        let addresses = ["redirectURIs", "postLogoutRedirectURIs"].flatMap { key in
            value[key].items.filter { WebOrigin($0.text) == nil }.map { uri in
                uri.problem(
                    "`clients.\(id).\(key)`: \(uri.text) is not the address of a page; use https, or http for localhost"
                )
            }
        }
        return grants + addresses
    }
}
