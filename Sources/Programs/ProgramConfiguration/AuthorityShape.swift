import OAuth
import Policies
import StrictYAML

enum AuthorityShape {
    static let keys: [Key] = [
        Key(
            "kind",
            .choice(["oidc", "b2c"]),
            default: "oidc",
            "The protocol. `oidc` reads the metadata under `url`. `b2c` has policies, named by files of the policies folder."
        ),
        Key(
            required: "url",
            .text(ProviderShape.issuer),
            "The issuer, exactly as the authority spells it. For `b2c`, the URL of the tenant."
        ),
        Key(
            "policyIn",
            .choice(of: PolicyPlace.self),
            "For `b2c`: where its URLs contain the policy, in the path or as `?p=`. Default: in the path."
        ),
        Key("displayName", .text(.init(maxLength: 64)), "The name that is shown to users. Default: the entry's name."),
        Key(
            required: "clientId",
            .text(.init(maxLength: 512, form: "a client ID")),
            "This daemon's client id at the authority."
        ),
        Key(
            "clientSecretFile",
            .text(Rules.path),
            "A file with the client secret on one line, mode 0600. Without it and `privateKeyFile`, the daemon is a public client; services cannot be public."
        ),
        Key(
            "authMethod",
            .choice(ClientSecretMethod.allCases.filter { $0 != .none }.map(\.rawValue)),
            "The client authentication method. Default: a method that the authority supports."
        ),
        Key(
            "privateKeyFile",
            .text(Rules.path),
            "A file with the client's private key in PEM, mode 0600: RSA (RS256) or P-256 (ES256). Replaces the secret (`private_key_jwt`)."
        ),
        Key(
            "keyId",
            .text(.init(maxLength: 256, form: "a key ID")),
            "For `privateKeyFile`: the `kid` that is registered at the authority. Default: the key's thumbprint (RFC 7638)."
        ),
        Key(
            "assertionAudience",
            .choice(of: AssertionAudience.self),
            "For `privateKeyFile`: the `aud` of the client assertions. Default: the issuer."
        ),
        Key(
            "grant",
            .choice(of: OutsideGrant.self),
            default: OutsideGrant.authorizationCode.rawValue,
            "How tokens are obtained: a user signs in, the daemon authenticates as a service, or it exchanges the caller's local token."
        ),
        Key(
            "uids",
            .list(.integer(0...4_294_967_293), count: 1...64),
            "The uids that may use the authority's tokens. Required for `client_credentials`. Default: every uid."
        ),
        Key(
            "subjectScopes",
            .list(.text(Rules.scope), count: 1...32),
            "For `token_exchange`: the scopes of the local token to exchange, all of one local API."
        ),
        Key(
            "subjectIssuer",
            .text(.init(maxLength: 256)),
            "For `token_exchange`: the value of `subject_issuer`. Default: the parameter is not sent."
        ),
        Key(
            "redirectURIs",
            .list(.text(Rules.returnURI), count: 1...8),
            "The registered redirect URIs: `oauth2/authresp` of this daemon, or loopback addresses, where the daemon opens a port. Default: both. `\(RedirectURI.outOfBand)` works only with `--paste`."
        ),
        Key(
            "resource",
            .text(.init(maxLength: 256, form: "the name of an API at the authority")),
            "The API to request if a token request does not specify one. Default: the parameter is omitted."
        ),
        Key(
            "resourceAs",
            .choice(of: ResourceParameter.self),
            default: ResourceParameter.resource.rawValue,
            "The parameter that specifies the API: `resource` (RFC 8707), `audience`, or an additional `scope`."
        ),
        Key(
            "scopes",
            .list(.text(Rules.scope), count: 0...32),
            "The scopes to request if a token request does not specify any. Default: `openid`, the client id for `b2c`, and none for services and exchanges."
        ),
        Key(
            "additionalScopes",
            .list(.text(Rules.scope), count: 0...32),
            default: "[]",
            "Additional scopes that the user consents to whenever a prompt is needed anyway."
        ),
        Key(
            "parameters",
            .dictionary(key: Rules.name, .text(.init(maxLength: 256)), count: 0...16),
            default: "{}",
            "Additional parameters of the authorization request."
        ),
        Key(
            "origins",
            .list(.text(Rules.tokenOrigin), count: 0...16),
            default: "[]",
            "The origins that `tasks`, `tokenbroker request`, `exec` and the credential helpers may send its tokens to, as in `apis.NAME.origins`."
        ),
    ]
}
