import OAuth
import Policies
import StrictYAML

/// Grammar of one of `authorities` in `tokenbrokerd.yaml`.
enum AuthorityShape {
    static let keys: [Key] = [
        Key(
            "kind",
            .choice(["oidc", "b2c"]),
            default: "oidc",
            "Its protocol: `oidc` describes itself under its URL, `b2c` has policies, which files of the policies' folder name."
        ),
        Key(
            required: "url",
            .text(ProviderShape.address),
            "Its issuer, exactly as it spells it; of kind `b2c`, the address of its tenant."
        ),
        Key(
            "policyIn",
            .choice(of: PolicyPlace.self),
            "With `b2c`, where its addresses name the policy: in the path, or as `?p=`; if left out, in the path."
        ),
        Key("displayName", .text(.init(maxLength: 64)), "What people see it called; if left out, its name."),
        Key(required: "clientId", .text(.init(maxLength: 512, form: "a client id")), "Our client id there."),
        Key(
            "clientSecretFile",
            .text(Rules.path),
            "The file with our secret there on one line, mode 0600; without it and `privateKeyFile` we are a public client, which no service is."
        ),
        Key(
            "authMethod",
            .choice(ClientSecretMethod.allCases.filter { $0 != .none }.map(\.rawValue)),
            "How we prove who we are; if left out, as the authority offers."
        ),
        Key(
            "privateKeyFile",
            .text(Rules.path),
            "The file with our private key there in PEM, of RSA (RS256) or P-256 (ES256), mode 0600: `private_key_jwt` in the place of a secret."
        ),
        Key(
            "keyId",
            .text(.init(maxLength: 256, form: "a key id")),
            "With `privateKeyFile`, the `kid` by which it knows the key; if left out, its thumbprint (RFC 7638)."
        ),
        Key(
            "assertionAudience",
            .choice(of: AssertionAudience.self),
            "With `privateKeyFile`, the `aud` of our statements; if left out, its issuer."
        ),
        Key(
            "grant",
            .choice(of: OutsideGrant.self),
            default: OutsideGrant.authorizationCode.rawValue,
            "How its tokens come: a person signs in there, it gives them to us as a service, or it exchanges the caller's token of ours."
        ),
        Key(
            "uids",
            .list(.integer(0...4_294_967_293), count: 1...64),
            "The users that may have its tokens, by number; `client_credentials` needs them, else everybody may."
        ),
        Key(
            "subjectScopes",
            .list(.text(Rules.scope), count: 1...32),
            "With `token_exchange`, the scopes of our token that is exchanged, of one of our APIs."
        ),
        Key(
            "subjectIssuer",
            .text(.init(maxLength: 256)),
            "With `token_exchange`, `subject_issuer`: our name there; if left out, none is sent."
        ),
        Key(
            "redirectURIs",
            .list(.text(Rules.returnURI), count: 1...8),
            "Where it sends people back to, as registered there: `oauth2/authresp` of this daemon, or addresses on loopback, where the daemon opens a port; if left out, either. `\(RedirectURI.outOfBand)` is for `--paste` alone."
        ),
        Key(
            "resource",
            .text(.init(maxLength: 256, form: "an API's name there")),
            "The API of a token that is asked for without any; if left out, none is named."
        ),
        Key(
            "resourceAs",
            .choice(of: ResourceParameter.self),
            default: ResourceParameter.resource.rawValue,
            "The parameter that names the API: `resource` (RFC 8707), `audience`, or one more `scope`."
        ),
        Key(
            "scopes",
            .list(.text(Rules.scope), count: 0...32),
            "The scopes of a token that is asked for without any; if left out, `openid`, with `b2c` our client id, and for services and exchanges none."
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
            "Where `tasks`, `tokenbroker request`, `exec` and the credential helpers may send its tokens, as `apis.NAME.origins` says it."
        ),
    ]
}
