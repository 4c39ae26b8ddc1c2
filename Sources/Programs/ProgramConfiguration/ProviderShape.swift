import Foundation
import OAuth
import StrictYAML

enum ProviderShape {
    static let keys: [Key] = [
        Key(
            "preset",
            .choice(ProviderPreset.all.map(\.name)),
            "A well-known provider, with its endpoints and claims."
        ),
        Key(
            "kind",
            .choice(["oidc", "oauth2"]),
            "Any other provider. `oidc` reads the metadata of its issuer. `oauth2` has no ID tokens and needs the endpoints below."
        ),
        Key(
            "displayName",
            .text(.init(maxLength: 64)),
            "The label of its button. Default: the preset's name, or the entry's name."
        ),
        Key(
            "issuer",
            .text(issuer),
            "The issuer, exactly as the provider spells it. The issuer and the user's id at the provider form the identity."
        ),
        Key("tenant", .text(tenant), "For `aad`: the directory (tenant) id whose users may sign in."),
        Key(
            required: "clientId",
            .text(.init(maxLength: 512, form: "a client ID")),
            "This daemon's client id at the provider."
        ),
        Key("clientSecretFile", .text(Rules.path), "A file with the client secret on one line, mode 0600."),
        Key(
            "authMethod",
            .choice(of: ClientSecretMethod.self),
            "The client authentication method. Default: a method that the provider supports."
        ),
        Key(
            "scopes",
            .list(.text(Rules.scope), count: 0...32),
            "The scopes to request. Default: the preset's, else `[openid, profile, email]`."
        ),
        Key(
            "claims",
            .dictionary(key: attribute, .text(claim), count: 0...32),
            default: "{}",
            "The provider's claim for each attribute. `subject` is the stable id of the user. A dot selects a member of an object."
        ),
        Key(
            "parameters",
            .dictionary(key: Rules.name, .text(.init(maxLength: 256)), count: 0...16),
            default: "{}",
            "Additional parameters of the authorization request."
        ),
        Key(
            "trustsEmail",
            .boolean,
            "For a `kind`: whether the broker accepts an e-mail address that the provider reports as verified. Default: `false`. Presets define it."
        ),
        Key("authorizationEndpoint", .text(address), "For `oauth2`: the authorization endpoint."),
        Key("tokenEndpoint", .text(address), "For `oauth2`: the token endpoint."),
        Key("userinfoEndpoint", .text(address), "For `oauth2`: the endpoint that returns the user's claims."),
    ]

    static let address = TextRule(maxLength: 512, form: "an https URL", pattern: "^https?://") {
        OutsideURL.refusal($0)?.description
    }

    static let issuer = TextRule(maxLength: 512, form: "an https URL", pattern: "^https?://") {
        IssuerURL.refusal($0)?.description
    }

    private static let tenant = TextRule(maxLength: 36, form: "a UUID") {
        UUID(uuidString: $0) == nil ? "must be the directory (tenant) id, a UUID" : nil
    }

    private static let attribute = TextRule(maxLength: 64, form: "an attribute name or `subject`")
    private static let claim = TextRule(maxLength: 64, form: "a claim name")
}
