import FlowModel
import OAuth
import Origins
public import StrictYAML

/// The schema of `tokenbrokerd.yaml`.
public enum BrokerShape {
    /// The port of the default `listen`.
    static let port: UInt16 = 8420

    /// All keys of the file.
    public static let file: Shape = .object([
        Key("tenant", .text(Rules.tenant), default: "local", "The tenant. It is part of every issuer."),
        Key(
            "issuerBase",
            .text(Rules.base),
            default: "http://localhost:8420",
            "The URL that every issuer begins with. It must be `https` unless the host is loopback."
        ),
        CommonShapes.listen(port: port),
        CommonShapes.tls,
        CommonShapes.behindProxy,
        Key(
            "proxies",
            .list(.text(Rules.network), count: 0...64),
            default: "[]",
            "The proxies whose `forwardedHeader` is trusted. A proxy on this machine must run as root, as a service or as the "
                + "user of the daemon: any other local user counts as that user."
        ),
        Key(
            "forwardedHeader",
            .choice(of: ForwardedHeader.self),
            "The header that the `proxies` set to the client's address. The daemon ignores the other header. `proxies` "
                + "requires it, and there is no default: clients can forge a header that the proxy does not set "
                + "([recipes](proxies.md))."
        ),
        Key(
            "defaultPolicy",
            .text(Rules.policy),
            default: "b2c_1_sign_up_or_in",
            "The policy for requests that specify none, if the user has no account yet."
        ),
        Key(
            "signUp",
            .choice(of: SignUpMode.self),
            default: "open",
            "Who may sign up: all users, only users invited with `tokenbroker user invite`, or no users."
        ),
        Key(
            "refreshGraceSec",
            .integer(0...60),
            default: "10",
            "How long after its rotation a refresh token can be presented again over HTTP, in seconds, in case the response was lost ([rules](authority.md#tokens-and-scopes)). With 0, a second use always revokes the family."
        ),
        Key(
            "operators",
            .object(operators),
            "Who may call the operator methods, in addition to the daemon's own user."
        ),
        Key("mail", .object(mail), "How mail is sent."),
        Key("apis", .dictionary(key: Rules.name, .object(api), count: 1...64), default: apis, "The protected APIs."),
        Key("clients", .dictionary(key: Rules.name, .object(client), count: 0...1000), default: "{}", clientsMeaning),
        Key(
            "identityProviders",
            .dictionary(key: Rules.name, .object(ProviderShape.keys), count: 0...32),
            default: "{}",
            "The identity providers, by the names with which policies refer to them ([providers](providers.md))."
        ),
        Key(
            "authorities",
            .dictionary(key: Rules.name, .object(AuthorityShape.keys), count: 0...32),
            default: "{}",
            "The external authorities whose tokens the daemon stores for users ([external authorities](external-authorities.md))."
        ),
        Key("outgoing", .object(outgoing), "Connections to identity providers, external authorities and clients."),
        Key("limits", .object(limits), "Resource limits."),
        CommonShapes.log,
        CommonShapes.metrics,
    ])

    private static let apis = """
        {tasks: {audience: tasks, origins: ["http://localhost:3000"], scopes: {tasks.read: Read your tasks, tasks.write: Change your tasks, \
        accessRestricted: See your balance, transferPrivilege: Move money}, defaultScopes: [tasks.read, tasks.write]}}
        """

    private static let clientsMeaning =
        "The clients. `tokenbroker-cli` and `tasks-cli` always exist; an entry here replaces their defaults."

    private static let operators: [Key] = [
        Key("uids", .list(.integer(0...4_294_967_293), count: 0...64), default: "[0]", "Users by uid."),
        Key("groups", .list(.text(Rules.name), count: 0...64), default: "[]", "Groups by name."),
    ]

    private static let mail: [Key] = [
        Key(
            "transport",
            .choice(["outbox", "sendmail", "smtp"]),
            default: "outbox",
            "`outbox` writes each message into a folder, for development. `sendmail` writes each message into a folder from which another service sends it. `smtp` sends to a mail server."
        ),
        Key("from", .text(Rules.mailAddress), default: "noreply@localhost", "The sender address."),
        Key(
            "codeInSubject",
            .boolean,
            default: "true",
            "Whether a message with a code also has the code in its subject. With `false`, only the body contains it."
        ),
        Key(
            "directory",
            .text(Rules.path),
            "The folder of `outbox` and `sendmail`. Default: `outbox` or `mail` in the state directory."
        ),
        Key("program", .later(.anything, needs: "another `sendmail` program"), "For `sendmail`: the program."),
        Key(
            "host",
            .text(Rules.host),
            "For `smtp`: the mail server, by address or by the name in its certificate."
        ),
        Key("port", .integer(1...65_535), "For `smtp`: the port. Default: 587."),
        Key(
            "startTLS",
            .boolean,
            "Whether `smtp` requires TLS. Default: `true`. With `false`, nothing is encrypted, authentication works only on loopback, and a local server must belong to root, a system user or the daemon's user."
        ),
        Key(
            "username",
            .text(.init(maxLength: 256, form: "a user name")),
            "For `smtp`: the user name for authentication (AUTH PLAIN or LOGIN). Default: no authentication."
        ),
        Key(
            "passwordFile",
            .text(Rules.path),
            "For `smtp`: a file with the password on one line, owned by the daemon's user or root, mode 0600. It is read for each message."
        ),
    ]

    private static let api: [Key] = [
        Key("audience", .text(Rules.scope), "The `aud` of its access tokens. Default: the API's name."),
        Key(
            "resources",
            .list(.text(Rules.api), count: 0...16),
            default: "[]",
            "The URIs with which clients can request tokens for the API (`resource`, RFC 8707). A requested URI becomes an audience of the token."
        ),
        Key(
            "origins",
            .list(.text(Rules.tokenOrigin), count: 0...16),
            default: "[]",
            "The origins that `tasks`, `tokenbroker request`, `exec` and the credential helpers may send its tokens to: exact scheme, host and port; `https` except on loopback."
        ),
        Key(
            "scopes",
            .dictionary(key: Rules.scope, .text(.init(maxLength: 256, form: "a sentence")), count: 0...1000),
            default: "{}",
            "The scopes, each with a description of what it permits."
        ),
        Key(
            "defaultScopes",
            .list(.text(Rules.scope), count: 0...64),
            default: "[]",
            "The scopes that a client requests over HTTP if it sends no `scope` ([how the API is chosen](authority.md#tokens-and-scopes))."
        ),
    ]

    private static let client: [Key] = [
        Key(
            required: "type",
            .choice(of: ClientType.self),
            "The client type (RFC 6749 §2.1). A `confidential` client can keep a secret. A `browser` client is a public client that runs in web pages ([details](authority.md#browser-clients))."
        ),
        Key("name", .text(.init(maxLength: 128)), "The name that is shown to users. Default: the client id."),
        Key("firstParty", .boolean, default: "false", "Whether the consent prompt is skipped."),
        Key(
            "apis",
            .list(.text(Rules.name), count: 0...64),
            default: "[]",
            "The APIs that the client may request tokens for."
        ),
        Key("redirectURIs", .list(.text(Rules.redirectURI), count: 0...100), default: "[]", redirectMeaning),
        Key(
            "postLogoutRedirectURIs",
            .list(.text(Rules.redirectURI), count: 0...100),
            default: "[]",
            "The redirect URIs after sign-out."
        ),
        Key(
            "backchannelLogoutURI",
            .text(ProviderShape.address),
            "The URL that receives logout tokens (OpenID Connect Back-Channel Logout). It requires an https issuer, because http issuers store no session."
        ),
        Key(
            "grants",
            .list(.choice(of: GrantType.self), count: 1...GrantType.allCases.count),
            default: "[authorization_code, refresh_token]",
            "The grants that the client may use."
        ),
        Key(
            "secretFile",
            .text(Rules.path),
            "For confidential clients: a file with the secret on one line, at least 128 random bits, mode 0600."
        ),
        Key(
            "jwks",
            .text(.init(maxLength: ClientProof.longestKeys, form: "a JWK set as JSON")),
            "For confidential clients: the public keys for `private_key_jwt` (RFC 7523), each with a `kid`."
        ),
        Key("jwksFile", .text(Rules.path), "A file with these keys, instead of `jwks`."),
        Key(
            "authMethods",
            .list(.choice(ClientAuthenticationMethod.allCases.filter { $0 != .none }.map(\.rawValue)), count: 1...3),
            "The client authentication methods. Default: every method that the client has a secret or keys for."
        ),
        Key(
            "idTokenAlg",
            .choice(of: TokenSigning.Algorithm.self),
            default: "ES256",
            "The algorithm of its ID tokens."
        ),
        Key(
            "accessTokenAlg",
            .choice(of: TokenSigning.Algorithm.self),
            default: "ES256",
            "The algorithm of its access tokens."
        ),
        Key(
            "allow",
            .object(allow),
            "The local callers that may use this confidential client at the socket, where no secret is sent. Default: none ([why](#confidential-clients-at-the-socket))."
        ),
    ]

    private static let allow: [Key] = [
        Key("uids", .list(.integer(0...4_294_967_293), count: 0...64), default: "[]", "Users by uid."),
        Key(
            "groups",
            .list(.text(Rules.name), count: 0...64),
            default: "[]",
            "Groups by name. A primary group and a supplementary group both count."
        ),
        Key("units", .refused(because: movable("systemd unit")), "Not accepted: \(movable("systemd unit"))."),
        Key("programs", .refused(because: movable("program")), "Not accepted: \(movable("program"))."),
    ]

    private static func movable(_ place: String) -> String {
        "a process can act through any other process of the same uid, so a \(place) is no boundary; give the service its own user or group"
    }

    private static let redirectMeaning =
        "The redirect URIs after sign-in. They are compared exactly, except that for clients other than `browser` any port of a loopback address is accepted."

    private static let outgoing: [Key] = [
        Key(
            "proxy",
            .either([.choice(["none"]), .text(Rules.proxy)]),
            default: "none",
            "The HTTP proxy for tunnels to these servers, such as `http://proxy.example:3128`. Loopback addresses bypass it. The environment variables `HTTPS_PROXY` and `NO_PROXY` are not read."
        ),
        Key(
            "proxyUsername",
            .text(Rules.proxyUsername),
            "The user name for the proxy (Basic authentication). Default: no authentication."
        ),
        Key(
            "proxyPasswordFile",
            .text(Rules.path),
            "A file with the proxy's password on one line, owned by the daemon's user or root, mode 0600. It is read at startup."
        ),
        Key(
            "caFile",
            .either([.choice(["none"]), .text(Rules.path)]),
            default: "none",
            "A PEM file with certificate authorities to trust in addition to the system's. It is read at startup."
        ),
        CommonShapes.trustedLoopback,
    ]

    private static let limits: [Key] = [
        Key("flowsPerUid", .integer(1...64), default: "8", "The maximum number of open flows per user."),
        Key(
            "flows",
            .integer(1...4096),
            default: "256",
            "The maximum number of open flows. One user or network gets at most a quarter, browsers at most half, and a quarter is reserved for origins with a sign-in within 90 days."
        ),
        Key(
            "connectionsPerUid",
            .integer(1...4096),
            default: "64",
            "The maximum number of connections per user to each of the two sockets."
        ),
        Key(
            "requestsPerSecondPerUid",
            .integer(1...1_000_000),
            default: "200000",
            "The maximum number of requests per user and second."
        ),
        Key(
            "kdfJobs",
            .integer(1...64),
            default: "2",
            "The maximum number of password hashes computed at the same time. Each needs 19 MiB."
        ),
        Key(
            "kdfQueue",
            .integer(1...1024),
            default: "32",
            "The maximum number of password hashes that wait in the queue."
        ),
        Key(
            "mailsPerUid",
            .integer(1...1_000_000),
            default: "30",
            "The maximum number of messages that one user can cause in ten minutes."
        ),
        Key(
            "mailsPerUidPerDay",
            .integer(1...1_000_000),
            default: "200",
            "The maximum number of messages that one user can cause in 24 hours."
        ),
    ]
}
