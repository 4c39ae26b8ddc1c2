import Foundation
public import OAuth
import Policies
import StrictYAML

/// A provider outside that proves people, and our registration there.
public struct ProviderSettings: Hashable, Sendable {
    /// The endpoints of a provider that does not describe itself.
    public struct Endpoints: Hashable, Sendable {
        /// The authorization endpoint.
        public let authorization: String
        /// The token endpoint.
        public let token: String
        /// The endpoint that says who a person is.
        public let userinfo: String
    }

    /// The providers' own ways of saying whose an access token is, each with its address.
    public enum Confirmation: Hashable, Sendable {
        /// Google's `tokeninfo`.
        case googleTokenInfo(String)
        /// Facebook's `debug_token`.
        case facebookDebugToken(String)
        /// GitHub's `applications`.
        case githubApplications(String)
    }

    /// The name, as policies say it.
    public let name: String
    /// The name that people see.
    public let displayName: String
    /// The issuer, a part of everybody's identity.
    public let issuer: String
    /// The endpoints; nil for OpenID Connect, whose issuer describes itself.
    public let endpoints: Endpoints?
    /// Our client id there.
    public let clientID: String
    /// Our secret there; nil for a public client.
    public let secret: Secret?
    /// The method of client authentication; nil for one that the provider offers.
    public let authMethod: ClientSecretMethod?
    /// The scopes to ask for.
    public let scopes: [String]
    /// More parameters of the authorization request.
    public let parameters: [String: String]
    /// The claim that tells people apart.
    public let subject: String
    /// The provider's claim of each attribute.
    public let claims: [String: String]
    /// True if the provider's word that it has verified an e-mail address counts.
    public let trustsEmail: Bool
    /// The provider's own way of saying whose an access token is; nil if it has none.
    public let confirmation: Confirmation?
    /// The parameters by which it is told to ask a person again, in place of `prompt=login` and `max_age`; nil for those.
    public let askingAgain: [String: String]?

    init?(name: String, _ value: YAMLValue, folder: String, problems: inout [Problem]) {
        var reader = ProviderReader(key: "identityProviders.\(name)", value: value, folder: folder)
        let base = reader.base()
        secret = reader.secret()
        problems += reader.problems
        guard let base else { return nil }
        self.name = name
        displayName = value["displayName"].optionalText ?? (base.displayName.isEmpty ? name : base.displayName)
        issuer = base.issuer
        endpoints = base.endpoints
        clientID = value["clientId"].text
        authMethod = value["authMethod"].optionalChoice() ?? base.authMethod
        scopes = value["scopes"].isPresent ? value["scopes"].items.map(\.text) : base.scopes
        parameters = base.parameters.merging(value["parameters"].texts) { $1 }
        var claims = base.claims.merging(value["claims"].texts) { $1 }
        subject = claims.removeValue(forKey: "subject") ?? base.subject
        self.claims = claims
        trustsEmail = base.trustsEmail
        confirmation = base.confirmation
        askingAgain = base.askingAgain
    }
}

/// Reads what a provider is: a preset's facts, or those of the file.
private struct ProviderReader {
    let key: String
    let value: YAMLValue
    let folder: String
    private(set) var problems: [Problem] = []

    private static let endpointKeys = ["authorizationEndpoint", "tokenEndpoint", "userinfoEndpoint"]

    /// The facts; nil with a problem if the file does not say what the provider is.
    mutating func base() -> ProviderPreset? {
        switch (value["preset"].optionalText, value["kind"].optionalText) {
        case (let name?, nil): return preset(name)
        case (nil, "oauth2"): return oauth2()
        case (nil, _?): return openID()
        case (nil, nil):
            problems.append(value.problem("`\(key).preset` or `\(key).kind` is missing: one says what the provider is"))
        case (_?, _?):
            problems.append(value["kind"].problem("`\(key).kind` and `\(key).preset` are both there; one is enough"))
        }
        return nil
    }

    private mutating func preset(_ name: String) -> ProviderPreset? {
        refuse(["issuer", "trustsEmail"] + Self.endpointKeys, "the preset has it")
        guard let preset = ProviderPreset.all.first(where: { $0.name == name }) else { return nil }
        guard preset.issuer.contains("{tenant}") else {
            refuse(["tenant"], "only aad has tenants")
            return preset
        }
        guard let tenant = value["tenant"].optionalText else {
            problems.append(value.problem("`\(key).tenant` is missing: the directory (tenant) id, a UUID"))
            return nil
        }
        return ProviderPreset(
            name: preset.name,
            displayName: preset.displayName,
            issuer: preset.issuer.replacing("{tenant}", with: tenant.lowercased()),
            scopes: preset.scopes,
            trustsEmail: preset.trustsEmail
        )
    }

    private mutating func openID() -> ProviderPreset? {
        refuse(Self.endpointKeys, "the issuer names it")
        refuse(["tenant"], "only aad has tenants")
        let scopes = value["scopes"]
        if scopes.isPresent, !scopes.items.contains(where: { $0.text == "openid" }) {
            problems.append(scopes.problem("`\(key).scopes` must have openid, or there is no ID token"))
        }
        guard let issuer = required("issuer") else { return nil }
        return ProviderPreset(name: "", displayName: "", issuer: issuer, trustsEmail: trustsEmail)
    }

    private mutating func oauth2() -> ProviderPreset? {
        refuse(["tenant"], "only aad has tenants")
        let issuer = required("issuer")
        let endpoints = Self.endpointKeys.compactMap { required($0) }
        guard let issuer, endpoints.count == Self.endpointKeys.count else { return nil }
        return ProviderPreset(
            name: "",
            displayName: "",
            issuer: issuer,
            endpoints: .init(authorization: endpoints[0], token: endpoints[1], userinfo: endpoints[2]),
            scopes: [],
            trustsEmail: trustsEmail
        )
    }

    /// Whether the configuration says that the provider verifies addresses: any operator of a provider can claim this.
    private var trustsEmail: Bool { value["trustsEmail"].isPresent && value["trustsEmail"].flag }

    /// The secret; nil for a public client.
    mutating func secret() -> Secret? {
        let file = value["clientSecretFile"]
        let isPublic = value["authMethod"].optionalText == "none"
        guard file.isPresent else {
            if !isPublic {
                problems.append(
                    value.problem(
                        "`\(key).clientSecretFile` is missing: the secret that the provider gave, or `authMethod: none` for a client without one"
                    )
                )
            }
            return nil
        }
        guard !isPublic else {
            problems.append(file.problem("`\(key).clientSecretFile`: a client with `authMethod: none` has no secret"))
            return nil
        }
        return file.secret("\(key).clientSecretFile", from: folder, problems: &problems)
    }

    private mutating func required(_ name: String) -> String? {
        if let text = value[name].optionalText { return text }
        problems.append(value.problem("`\(key).\(name)` is missing"))
        return nil
    }

    private mutating func refuse(_ names: [String], _ reason: String) {
        for name in names where value[name].isPresent {
            problems.append(value[name].problem("`\(key).\(name)`: \(reason)"))
        }
    }
}
