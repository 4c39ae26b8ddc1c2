import FlowModel
import OAuth
public import StrictYAML

/// Grammar of `tokenbrokerd.yaml`.
public enum BrokerShape {
    /// Every key of the file.
    public static let file: Shape = .object([
        Key("tenant", .text(Rules.tenant), default: "local", "The tenant, a part of every issuer."),
        Key(
            "issuerBase",
            .text(Rules.base),
            default: "http://localhost:8420",
            "Where every issuer begins; `https` for anything but loopback."
        ),
        CommonShapes.listen(#"["127.0.0.1:8420", "[::1]:8420"]"#),
        CommonShapes.tls,
        CommonShapes.behindProxy,
        Key(
            "proxies",
            .list(.text(Rules.network), count: 0...64),
            default: "[]",
            "The proxies whose `Forwarded` is believed. A proxy on this machine must run as root, as a service or as the "
                + "user of the daemon: any other local user counts as that user."
        ),
        Key(
            "defaultPolicy",
            .text(Rules.policy),
            default: "b2c_1_sign_up_or_in",
            "The policy for whoever names none and has no account yet."
        ),
        Key(
            "signUp",
            .choice(of: SignUpMode.self),
            default: "open",
            "Who may sign up: everybody, who was invited by `tokenbroker user invite`, nobody."
        ),
        Key("operators", .object(operators), "Who may call the operators' methods, beside the daemon's own user."),
        Key("mail", .object(mail), "How mail goes out."),
        Key("apis", .dictionary(key: Rules.name, .object(api), count: 1...64), default: apis, "The protected APIs."),
        Key("clients", .dictionary(key: Rules.name, .object(client), count: 0...1000), default: "{}", clientsMeaning),
        Key(
            "identityProviders",
            .dictionary(key: Rules.name, .object(ProviderShape.keys), count: 0...32),
            default: "{}",
            "Others who prove people, by the names that policies use ([providers](providers.md))."
        ),
        Key(
            "authorities",
            .dictionary(key: Rules.name, .object(AuthorityShape.keys), count: 0...32),
            default: "{}",
            "Others who issue tokens, which are kept here for people ([outside authorities](outside-authorities.md))."
        ),
        Key("outgoing", .object(outgoing), "The way to identity providers, external authorities and clients."),
        Key("limits", .object(limits), "How much there may be at once."),
        CommonShapes.log,
        CommonShapes.metrics,
    ])

    private static let apis = """
        {tasks: {audience: tasks, origins: ["http://localhost:3000"], scopes: {tasks.read: Read your tasks, tasks.write: Change your tasks, \
        accessRestricted: See your balance, transferPrivilege: Move money}}}
        """

    private static let clientsMeaning =
        "The clients, beside `tokenbroker-cli` and `tasks-cli`, which are always there and may be described here anew."

    private static let operators: [Key] = [
        Key("uids", .list(.integer(0...4_294_967_293), count: 0...64), default: "[0]", "Users by number."),
        Key("groups", .list(.text(Rules.name), count: 0...64), default: "[]", "Groups by name."),
    ]

    private static let mail: [Key] = [
        Key(
            "transport",
            .choice(["outbox", "sendmail", "smtp"]),
            default: "outbox",
            "`outbox` writes each mail into a folder, which is for development; `sendmail` into one that another service empties; `smtp` hands it to a mail server."
        ),
        Key("from", .text(Rules.mailAddress), default: "noreply@localhost", "Who mails are from."),
        Key(
            "directory",
            .text(Rules.path),
            "The folder of `outbox` and `sendmail`; if left out, `outbox` or `mail` in the state directory."
        ),
        Key("program", .later(.anything, needs: "another program of `sendmail`"), "Of `sendmail`."),
        Key(
            "host",
            .text(Rules.host),
            "Of `smtp`: the mail server's name, of which its certificate is, or its address."
        ),
        Key("port", .integer(1...65_535), "Of `smtp`; if left out, 587."),
        Key(
            "startTLS",
            .boolean,
            "Of `smtp`; if left out, true: nothing is said without TLS. With false nothing is encrypted, and a login is for loopback only."
        ),
        Key(
            "username",
            .text(.init(maxLength: 256, form: "a user name")),
            "Of `smtp`: who logs in (AUTH PLAIN or LOGIN); if left out, nobody."
        ),
        Key(
            "passwordFile",
            .text(Rules.path),
            "Of `smtp`: the file with its password on one line, of the daemon's user or root, mode 0600; read for each mail."
        ),
    ]

    private static let api: [Key] = [
        Key("audience", .text(Rules.scope), "The `aud` of its access tokens; if left out, its name."),
        Key(
            "resources",
            .list(.text(Rules.api), count: 0...16),
            default: "[]",
            "The URIs under which clients may ask for it (`resource`, RFC 8707), each an audience of its tokens if asked for."
        ),
        Key(
            "origins",
            .list(.text(Rules.tokenOrigin), count: 0...16),
            default: "[]",
            "Where `tasks`, `tokenbroker request`, `exec` and the credential helpers may send its tokens: scheme, host and port, exactly; `https` but for loopback."
        ),
        Key(
            "scopes",
            .dictionary(key: Rules.scope, .text(.init(maxLength: 256, form: "a sentence")), count: 0...1000),
            default: "{}",
            "Its scopes, and what each allows in words."
        ),
    ]

    private static let client: [Key] = [
        Key(required: "type", .choice(of: ClientType.self), "Whether it can keep a secret."),
        Key("name", .text(.init(maxLength: 128)), "What people see it called; if left out, its id."),
        Key("firstParty", .boolean, default: "false", "Whether people are not asked for consent."),
        Key("apis", .list(.text(Rules.name), count: 0...64), default: "[]", "The APIs it may ask tokens for."),
        Key("redirectURIs", .list(.text(Rules.redirectURI), count: 0...100), default: "[]", redirectMeaning),
        Key(
            "postLogoutRedirectURIs",
            .list(.text(Rules.redirectURI), count: 0...100),
            default: "[]",
            "Where a browser may be sent after sign-out."
        ),
        Key(
            "backchannelLogoutURI",
            .text(Rules.https),
            "Where it is told of sign-outs (OpenID Connect Back-Channel Logout); over https only, since over http no session stays."
        ),
        Key(
            "grants",
            .list(.choice(of: GrantType.self), count: 1...GrantType.allCases.count),
            default: "[authorization_code, refresh_token]",
            "The grants it may use."
        ),
        Key(
            "secretFile",
            .text(Rules.path),
            "The file with its secret of at least 128 random bits on one line, mode 0600; confidential clients only."
        ),
        Key(
            "jwks",
            .text(.init(maxLength: ClientProof.longestKeys, form: "a JWK set as JSON")),
            "The public keys that verify its statements (`private_key_jwt`, RFC 7523), each with a `kid`; confidential clients only."
        ),
        Key("jwksFile", .text(Rules.path), "The file with such keys, instead of `jwks`."),
        Key(
            "authMethods",
            .list(.choice(ClientAuthenticationMethod.allCases.filter { $0 != .none }.map(\.rawValue)), count: 1...3),
            "How it proves who it is; if left out, in all ways that it has a secret or keys for."
        ),
        Key("idTokenAlg", .choice(of: TokenSigning.Algorithm.self), default: "ES256", "How its ID tokens are signed."),
        Key(
            "accessTokenAlg",
            .choice(of: TokenSigning.Algorithm.self),
            default: "ES256",
            "How its access tokens are signed."
        ),
        Key(
            "allow",
            .object(allow),
            "The local callers that may use this confidential client at the socket, where no secret is shown; if left out, none may ([why](#confidential-clients-at-the-socket))."
        ),
    ]

    private static let allow: [Key] = [
        Key("uids", .list(.integer(0...4_294_967_293), count: 0...64), default: "[]", "Users by number."),
        Key(
            "groups",
            .list(.text(Rules.name), count: 0...64),
            default: "[]",
            "Groups by name; each counts as a primary and as a supplementary group."
        ),
        Key("units", .refused(because: movable("unit of systemd")), "Never: \(movable("unit of systemd"))."),
        Key("programs", .refused(because: movable("program")), "Never: \(movable("program"))."),
    ]

    private static func movable(_ place: String) -> String {
        "a process of one uid can act through any other process of it, so a \(place) separates nothing; give the service a user or a group of its own"
    }

    private static let redirectMeaning =
        "Where a browser may be sent after sign-in: compared exactly, but for the port of a loopback address."

    private static let outgoing: [Key] = [
        Key(
            "proxy",
            .either([.choice(["none"]), .text(Rules.proxy)]),
            default: "none",
            "The HTTP proxy that opens tunnels to them, such as `http://proxy.example:3128`; this machine's own addresses are reached without it."
        ),
        Key(
            "caFile",
            .either([.choice(["none"]), .text(Rules.path)]),
            default: "none",
            "A PEM file of certificate authorities that are trusted there beside the system's; read at the start."
        ),
        CommonShapes.trustedLoopback,
    ]

    private static let limits: [Key] = [
        Key("flowsPerUid", .integer(1...64), default: "8", "Open flows of one user."),
        Key(
            "flows",
            .integer(1...4096),
            default: "256",
            "Open flows in total. One user or network gets at most a quarter, browsers get at most half, and a quarter is reserved for origins with a sign-in within 90 days."
        ),
        Key(
            "connectionsPerUid",
            .integer(1...4096),
            default: "64",
            "Connections of one user to each of the two sockets."
        ),
        Key("requestsPerSecondPerUid", .integer(1...1_000_000), default: "200000", "Requests of one user a second."),
        Key("kdfJobs", .integer(1...64), default: "2", "Passwords that are hashed at once; each takes 19 MiB."),
        Key("kdfQueue", .integer(1...1024), default: "32", "Passwords that wait to be hashed."),
        Key("mailsPerUid", .integer(1...1_000_000), default: "30", "Mails that one user has sent in ten minutes."),
        Key("mailsPerUidPerDay", .integer(1...1_000_000), default: "200", "Mails that one user has sent in 24 hours."),
    ]
}
