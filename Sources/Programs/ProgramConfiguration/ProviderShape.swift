import Foundation
import OAuth
import StrictYAML

/// Grammar of one of `identityProviders` in `tokenbrokerd.yaml`.
enum ProviderShape {
    static let keys: [Key] = [
        Key(
            "preset",
            .choice(ProviderPreset.all.map(\.name)),
            "A well-known provider; its addresses and claims are known."
        ),
        Key(
            "kind",
            .choice(["oidc", "oauth2"]),
            "Any other one: `oidc` describes itself under its issuer; `oauth2` has no ID tokens, so its endpoints stand here."
        ),
        Key(
            "displayName",
            .text(.init(maxLength: 64)),
            "What its button is called; if left out, the preset's or its own name."
        ),
        Key("issuer", .text(address), "Its issuer, exactly as it spells it; with the person's id there, the identity."),
        Key("tenant", .text(tenant), "Of `aad`: the directory (tenant) id whose people may sign in."),
        Key(required: "clientId", .text(.init(maxLength: 512, form: "a client id")), "Our client id there."),
        Key("clientSecretFile", .text(Rules.path), "The file with our secret there on one line, mode 0600."),
        Key(
            "authMethod",
            .choice(of: ClientSecretMethod.self),
            "How we prove who we are; if left out, as the provider offers."
        ),
        Key(
            "scopes",
            .list(.text(Rules.scope), count: 0...32),
            "What to ask for; if left out, the preset's, else `[openid, profile, email]`."
        ),
        Key(
            "claims",
            .dictionary(key: attribute, .text(claim), count: 0...32),
            default: "{}",
            "The provider's claim of each attribute; `subject` is the one that tells people apart and never changes, a dot goes into a member."
        ),
        Key(
            "parameters",
            .dictionary(key: Rules.name, .text(.init(maxLength: 256)), count: 0...16),
            default: "{}",
            "More parameters of the authorization request."
        ),
        Key(
            "trustsEmail",
            .boolean,
            "For a `kind`: whether the broker accepts an e-mail address that the provider reports as verified. Default `false`. Presets define it."
        ),
        Key("authorizationEndpoint", .text(address), "Of `oauth2`."),
        Key("tokenEndpoint", .text(address), "Of `oauth2`."),
        Key("userinfoEndpoint", .text(address), "Of `oauth2`: the address that says who the person is."),
    ]

    static let address = TextRule(maxLength: 512, form: "an https URL", pattern: "^https?://") {
        OutsideURL.refusal($0)?.description
    }

    private static let tenant = TextRule(maxLength: 36, form: "a UUID") {
        UUID(uuidString: $0) == nil ? "must be the directory (tenant) id, a UUID" : nil
    }

    private static let attribute = TextRule(maxLength: 64, form: "an attribute's name, or `subject`")
    private static let claim = TextRule(maxLength: 64, form: "a claim's name")
}
