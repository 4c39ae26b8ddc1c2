public import StrictYAML
import Tables

/// The schema of `tasksd.yaml`.
public enum TasksdShape {
    /// The port of the default `listen`.
    static let port: UInt16 = 3000

    /// The schema of the whole file.
    public static let file: Shape = .object([
        CommonShapes.listen(port: port),
        CommonShapes.tls,
        CommonShapes.behindProxy,
        Key("trust", .list(.object(trust), count: 1...16), default: standardTrust, trustMeaning),
        Key(
            "cors",
            .list(.text(Rules.origin), count: 0...64),
            default: "[]",
            "The origins of web pages that may call the API."
        ),
        Key(
            "protect",
            .dictionary(key: path, .either([.text(Rules.scope), .object(demand)]), count: 0...64),
            default: "{/api/balance: accessRestricted}",
            "The paths that require an additional scope, or that scope and a strong, recent authentication (RFC 9470)."
        ),
        Key(
            "resource",
            .either([.choice(["none"]), .text(Rules.resource)]),
            default: "none",
            "The URI of this API. Clients use it to find the authority (RFC 9728) and to request tokens (RFC 8707). `apis.NAME.resources` of `tokenbrokerd` must list it."
        ),
        Key(
            "signIn",
            .either([.choice(["none"]), .object(signIn)]),
            default: "none",
            "Signing in at this API's own URLs (`/.auth/login`), as a client of the first authority in `trust`."
        ),
        Key(
            "applicationKeyFile",
            .either([.choice(["none"]), .text(Rules.path)]),
            default: "none",
            "A file with the application key (`X-ZUMO-APPLICATION`) that no other user can read. `none` uses the systemd credential `application-key`, if it exists."
        ),
        Key(
            "masterKeyFile",
            .either([.choice(["none"]), .text(Rules.path)]),
            default: "none",
            "A file with the master key (`X-ZUMO-MASTER`), with the same rules. The credential is `master-key`."
        ),
        Key(
            "tables",
            .dictionary(key: Rules.name, .object(TableShape.table), count: 1...64),
            default: todoitem,
            "The tables."
        ),
        Key(
            "limits",
            .object([
                Key(
                    "rowsPerOwner",
                    .integer(1...1_000_000_000),
                    default: "\(OwnerLimits.standard.rows)",
                    "The maximum number of rows per user in all tables. Deleted rows count until their tombstones are removed."
                ),
                Key(
                    "bytesPerOwner",
                    .integer(1...1_000_000_000_000),
                    default: "\(OwnerLimits.standard.bytes)",
                    "The maximum size of the text in these rows, in bytes."
                ),
            ]),
            "The limits on what each user can store."
        ),
        CommonShapes.outgoing,
        CommonShapes.log,
        CommonShapes.metrics,
    ])

    private static let standardTrust = """
        [{authority: "unix:/run/tokenbroker/authority.sock", base: "http://localhost:8420", tenant: local, \
        policies: all, audiences: [tasks], scopes: required}]
        """

    private static let trustMeaning =
        "The authorities whose tokens are accepted. Default: the authority of this machine, even if its issuer base changes."

    private static let todoitem = """
        {todoitem: {columns: {text: {type: string, required: true, maxLength: 4096}, \
        complete: {type: boolean, default: false}, duration: {type: number}, due: {type: date}, notes: {type: string}, \
        tags: {type: string}, priority: {type: number, enum: [1, 2, 3]}}}}
        """

    private static let demand: [Key] = [
        Key(required: "scope", .text(Rules.scope), "The required scope."),
        Key(
            "acrValues",
            .list(.text(Rules.scope), count: 0...8),
            default: "[]",
            "The authentication contexts, such as `\"2\"`. The token must have one of them."
        ),
        Key("maxAge", .integer(0...31_536_000), "The maximum age of the authentication, in seconds."),
    ]

    private static let signIn: [Key] = [
        Key(
            required: "client",
            .text(Rules.name),
            "The client id at the authority. Its redirect URIs are the `origins`, each followed by `/.auth/login/callback`."
        ),
        Key(
            "secretFile",
            .text(Rules.path),
            "A file with the client secret, mode 0600. Default: the client is public."
        ),
        Key(
            "origins",
            .list(.text(Rules.origin), count: 0...16),
            default: "[]",
            "The origins of this API for sign-in. If empty, users can sign in only at the origins of this machine."
        ),
    ]

    private static let trust: [Key] = [
        Key(
            required: "authority",
            .text(Rules.authority),
            "The source of the authority's keys: a local socket, or a URL."
        ),
        Key(required: "base", .text(Rules.base), "The URL that the authority's issuers begin with."),
        Key("tenant", .text(Rules.tenant), default: "local", "The tenant."),
        Key(
            "policies",
            .either([.choice(["all"]), .list(.text(Rules.policy), count: 1...200)]),
            default: "all",
            "The policies whose tokens are accepted."
        ),
        Key(
            "audiences",
            .list(.text(Rules.scope), count: 1...16),
            default: "[tasks]",
            "The accepted values of `aud`."
        ),
        Key(
            "scopes",
            .choice(["required", "ignored"]),
            default: "required",
            "Whether a token must have the scope of the operation (`required`)."
        ),
    ]

    private static let path = TextRule(maxLength: 256, form: "a path such as `/api/balance`", pattern: "^/") {
        guard $0.hasPrefix("/"), !$0.contains("?"), !$0.contains("#"), !$0.contains("//") else {
            return "must be a path that begins with /"
        }
        let isEncoded = $0.firstMatch(of: /%[0-9a-fA-F]{2}/) != nil
        return isEncoded ? "contains a percent-encoded character; write the character itself" : nil
    }
}
