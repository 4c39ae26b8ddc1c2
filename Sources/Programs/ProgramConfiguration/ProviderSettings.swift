import Foundation
public import OAuth
import Policies
import StrictYAML

/// An identity provider, and the daemon's registration with that provider.
public struct ProviderSettings: Hashable, Sendable {
    /// The endpoints of a provider without metadata.
    public struct Endpoints: Hashable, Sendable {
        /// The authorization endpoint.
        public let authorization: String
        /// The token endpoint.
        public let token: String
        /// The endpoint that returns the user's claims.
        public let userinfo: String
    }

    /// A provider-specific endpoint that shows to which client an access token was issued.
    public enum Confirmation: Hashable, Sendable {
        /// Google's `tokeninfo` endpoint.
        case googleTokenInfo(String)
        /// Facebook's `debug_token` endpoint.
        case facebookDebugToken(String)
        /// GitHub's `applications` endpoint.
        case githubApplications(String)
    }

    /// The name that policies use for the provider.
    public let name: String
    /// The name that is shown to users.
    public let displayName: String
    /// The issuer, which identifies a user together with the user's id at the provider.
    public let issuer: String
    /// The endpoints, or `nil` for an OpenID Connect provider, whose metadata contains them.
    public let endpoints: Endpoints?
    /// The daemon's client id at the provider.
    public let clientID: String
    /// The client secret, or `nil` for a public client.
    public let secret: Secret?
    /// The client authentication method, or `nil` to choose a method that the provider supports.
    public let authMethod: ClientSecretMethod?
    /// The scopes to request.
    public let scopes: [String]
    /// Additional parameters of the authorization request.
    public let parameters: [String: String]
    /// The name of the claim that contains the user's permanent id.
    public let subject: String
    /// The names of the provider's claims, keyed by the names of the corresponding attributes.
    public let claims: [String: String]
    /// Whether to accept an e-mail address that the provider reports as verified.
    public let trustsEmail: Bool
    /// The provider-specific endpoint that shows the client of an access token, or `nil` if the provider has none.
    public let confirmation: Confirmation?
    /// The parameters that make the provider prompt the user again, or `nil` for `prompt=login` and `max_age`.
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

private struct ProviderReader {
    let key: String
    let value: YAMLValue
    let folder: String
    private(set) var problems: [Problem] = []

    private static let endpointKeys = ["authorizationEndpoint", "tokenEndpoint", "userinfoEndpoint"]

    /// Returns the selected preset or one from the provider's own settings, or `nil` after reporting a problem.
    mutating func base() -> ProviderPreset? {
        switch (value["preset"].optionalText, value["kind"].optionalText) {
        case (let name?, nil): return preset(name)
        case (nil, "oauth2"): return oauth2()
        case (nil, _?): return openID()
        case (nil, nil):
            problems.append(value.problem("`\(key).preset` or `\(key).kind` is missing: set one of them"))
        case (_?, _?):
            problems.append(value["kind"].problem("`\(key).kind` and `\(key).preset` are both set; remove one of them"))
        }
        return nil
    }

    private mutating func preset(_ name: String) -> ProviderPreset? {
        refuse(["issuer", "trustsEmail"] + Self.endpointKeys, "is defined by the preset")
        guard let preset = ProviderPreset.all.first(where: { $0.name == name }) else { return nil }
        guard preset.issuer.contains("{tenant}") else {
            refuse(["tenant"], "is only for the preset aad")
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
        refuse(Self.endpointKeys, "is in the metadata of the issuer")
        refuse(["tenant"], "is only for the preset aad")
        let scopes = value["scopes"]
        if scopes.isPresent, !scopes.items.contains(where: { $0.text == "openid" }) {
            problems.append(scopes.problem("`\(key).scopes` must include openid, or the provider sends no ID token"))
        }
        guard let issuer = required("issuer") else { return nil }
        return ProviderPreset(name: "", displayName: "", issuer: issuer, trustsEmail: trustsEmail)
    }

    private mutating func oauth2() -> ProviderPreset? {
        refuse(["tenant"], "is only for the preset aad")
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

    /// Whether the provider's verification of e-mail addresses is trusted, which is `false` if not configured.
    private var trustsEmail: Bool { value["trustsEmail"].isPresent && value["trustsEmail"].flag }

    mutating func secret() -> Secret? {
        let file = value["clientSecretFile"]
        let isPublic = value["authMethod"].optionalText == "none"
        guard file.isPresent else {
            if !isPublic {
                problems.append(
                    value.problem(
                        "`\(key).clientSecretFile` is missing: specify a file with the provider's secret, or set `authMethod: none` for a public client"
                    )
                )
            }
            return nil
        }
        guard !isPublic else {
            problems.append(file.problem("`\(key).clientSecretFile`: remove it, or remove `authMethod: none`"))
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
            problems.append(value[name].problem("`\(key).\(name)` \(reason)"))
        }
    }
}
