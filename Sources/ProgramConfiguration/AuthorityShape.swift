import StrictYAML

/// Grammar of one of `authorities` in `tokenbrokerd.yaml`.
enum AuthorityShape {
    static let keys: [Key] = [
        Key(
            "kind",
            .choice(["oidc"], later: ["b2c"]),
            default: "oidc",
            "Its protocol: `oidc` describes itself under its URL."
        ),
        Key(required: "url", .text(ProviderShape.address), "Its issuer, exactly as it spells it."),
        Key("displayName", .text(.init(maxLength: 64)), "What people see it called; if left out, its name."),
        Key(required: "clientId", .text(.init(maxLength: 512, form: "a client id")), "Our client id there."),
        Key(
            "clientSecretFile",
            .text(Rules.path),
            "The file with our secret there on one line, mode 0600; if left out, we are a public client."
        ),
        Key(
            "authMethod",
            .choice(["client_secret_basic", "client_secret_post"]),
            "How we prove who we are; if left out, as the authority offers."
        ),
        Key(
            "redirectURIs",
            .later(.anything, needs: "other redirect URIs than `oauth2/authresp`"),
            "Where it sends people back to."
        ),
        Key(
            "scopes",
            .list(.text(Rules.scope), count: 0...32),
            default: "[openid]",
            "The scopes of a token that is asked for without any."
        ),
        Key(
            "additionalScopes",
            .list(.text(Rules.scope), count: 0...32),
            default: "[]",
            "What to ask consent for, too, whenever the person is asked."
        ),
        Key(
            "parameters",
            .dictionary(key: Rules.name, .text(.init(maxLength: 256)), count: 0...16),
            default: "{}",
            "More parameters of the authorization request."
        ),
        Key(
            "origins",
            .list(.text(Rules.tokenOrigin), count: 0...16),
            default: "[]",
            "Where `tokenbroker request`, `exec` and the credential helpers may send its tokens, as `apis.NAME.origins` says it."
        ),
    ]
}
