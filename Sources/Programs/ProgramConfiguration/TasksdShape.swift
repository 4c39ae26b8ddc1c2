public import StrictYAML
import Tables

/// The shape of `tasksd.yaml`.
public enum TasksdShape {
    /// Every key of the file.
    public static let file: Shape = .object([
        CommonShapes.listen(#"["127.0.0.1:3000", "[::1]:3000"]"#),
        CommonShapes.tls,
        CommonShapes.behindProxy,
        Key("trust", .list(.object(trust), count: 1...16), default: standardTrust, trustMeaning),
        Key(
            "cors",
            .list(.text(Rules.origin), count: 0...64),
            default: "[]",
            "The origins of web pages that may call."
        ),
        Key(
            "protect",
            .dictionary(key: path, .either([.text(Rules.scope), .object(demand)]), count: 0...64),
            default: "{/api/balance: accessRestricted}",
            "The paths that ask for one more scope, or for that and a proof that is strong and recent (RFC 9470)."
        ),
        Key(
            "resource",
            .either([.choice(["none"]), .text(Rules.resource)]),
            default: "none",
            "This API's own URI, by which clients find the authority (RFC 9728) and ask for tokens (RFC 8707); `tokenbrokerd` knows it as one of `apis.NAME.resources`."
        ),
        Key(
            "signIn",
            .either([.choice(["none"]), .object(signIn)]),
            default: "none",
            "Sign-in at this API's own addresses (`/.auth/login`), as a client of the first authority of `trust`."
        ),
        Key(
            "applicationKeyFile",
            .either([.choice(["none"]), .text(Rules.path)]),
            default: "none",
            "The application key (`X-ZUMO-APPLICATION`) in a file that nobody else can read; `none` takes systemd's credential `application-key`, if there is one."
        ),
        Key(
            "masterKeyFile",
            .either([.choice(["none"]), .text(Rules.path)]),
            default: "none",
            "The master key (`X-ZUMO-MASTER`), likewise; the credential is `master-key`."
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
                    "Rows of one person in all tables; deleted ones count until they are forgotten."
                ),
                Key(
                    "bytesPerOwner",
                    .integer(1...1_000_000_000_000),
                    default: "\(OwnerLimits.standard.bytes)",
                    "Bytes of the texts in them."
                ),
            ]),
            "The most that one person may store."
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
        "The authorities whose tokens are good; if left out, the one of this machine, which `tasksd` follows wherever its base moves."

    private static let todoitem = """
        {todoitem: {columns: {text: {type: string, required: true, maxLength: 4096}, \
        complete: {type: boolean, default: false}, duration: {type: number}, due: {type: date}, notes: {type: string}, \
        tags: {type: string}, priority: {type: number, enum: [1, 2, 3]}}}}
        """

    private static let demand: [Key] = [
        Key(required: "scope", .text(Rules.scope), "The scope."),
        Key(
            "acrValues",
            .list(.text(Rules.scope), count: 0...8),
            default: "[]",
            "The authentication contexts of which the token must have one, such as `\"2\"`."
        ),
        Key("maxAge", .integer(0...31_536_000), "The most seconds since the person proved who they are."),
    ]

    private static let signIn: [Key] = [
        Key(
            required: "client",
            .text(Rules.name),
            "The client id there; its redirect URI is `/.auth/login/callback` behind each of `origins`."
        ),
        Key(
            "secretFile",
            .text(Rules.path),
            "The client's secret in a file of mode 0600; if left out, the client is public."
        ),
        Key(
            "origins",
            .list(.text(Rules.origin), count: 0...16),
            default: "[]",
            "This API's own origins, at which people sign in; without any, only those of this machine."
        ),
    ]

    private static let trust: [Key] = [
        Key(
            required: "authority",
            .text(Rules.authority),
            "The place of its keys: a socket of this machine, or a URL."
        ),
        Key(required: "base", .text(Rules.base), "The beginning of its issuers."),
        Key("tenant", .text(Rules.tenant), default: "local", "Its tenant."),
        Key(
            "policies",
            .either([.choice(["all"]), .list(.text(Rules.policy), count: 1...200)]),
            default: "all",
            "The policies whose tokens are good."
        ),
        Key(
            "audiences",
            .list(.text(Rules.scope), count: 1...16),
            default: "[tasks]",
            "The `aud` that tokens must have."
        ),
        Key(
            "scopes",
            .choice(["required", "ignored"]),
            default: "required",
            "`required`: a token must have the scope of what it is used for."
        ),
    ]

    private static let path = TextRule(maxLength: 256, form: "a path such as `/api/balance`", pattern: "^/") {
        guard $0.hasPrefix("/"), !$0.contains("?"), !$0.contains("#"), !$0.contains("//") else {
            return "must be a path that begins with /"
        }
        let isEncoded = $0.firstMatch(of: /%[0-9a-fA-F]{2}/) != nil
        return isEncoded ? "has a percent-encoded character; it must be written as it is meant" : nil
    }
}
