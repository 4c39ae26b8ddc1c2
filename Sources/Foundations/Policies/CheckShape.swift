public import StrictYAML

extension PolicyShape {
    /// Every key of `policies/checks.yaml`.
    public static let checks: Shape = .object([
        Key("checks", .dictionary(key: checkName, .object(check), count: 0...64), default: "{}", "The checks by name."),
        Key(
            "order",
            .dictionary(
                key: checkName,
                .object([Key("after", checkNames, default: "[]", "The checks that are asked before this one.")]),
                count: 0...64
            ),
            default: "{}",
            "Which check is asked after which; where nothing is said, the file's order."
        ),
    ])

    private static let check: [Key] = [
        Key(
            required: "type",
            .choice(CheckType.all.map(\.name)),
            "How it finds out who somebody is."
        ),
        Key(
            "maxAttempts",
            .integer(1...100),
            "How many wrong answers block; \(byType { "\($0.maxAttempts)" })."
        ),
        Key(
            "attemptingStateExpirationSec",
            .integer(10...900),
            "How long a step waits, in seconds; \(byType { "\($0.attemptingStateExpiration.components.seconds)" })."
        ),
        Key(
            "successStateExpirationSec",
            .integer(1...7_776_000),
            "How long a success counts, in seconds; if left out as long as the session, and 3600 where a scope asks."
        ),
        Key(
            "blockedStateExpirationSec",
            .integer(0...86_400),
            "How long the first block lasts, in seconds; "
                + "\(byType { "\($0.blockedStateExpiration.components.seconds)" }); 0 blocks nobody."
        ),
        Key(
            "blockedBackoff",
            .object([
                Key("factor", .integer(1...10), default: "2", "How many times as long each next block is."),
                Key("maxSec", .integer(1...86_400), default: "3600", "The longest block, in seconds."),
            ]),
            "How blocks grow."
        ),
        Key(
            "dailyLimit",
            .integer(1...100),
            default: "100",
            "How many wrong answers a day, of all uids and browsers together, lock a person for the rest of it; not where the "
                + "right one was given before: there `maxAttempts` counts, and so it does for a PIN, which only the uid that set "
                + "it is asked for."
        ),
        Key(
            "rememberMeDurationSec",
            .integer(0...7_776_000),
            default: "0",
            "How long a person who asks for it is remembered after the correct password, in seconds; 0 offers it to nobody."
        ),
        Key("acr", .text(token), "The class that a success proves; \(byType { "`\"\($0.acr)\"`" })."),
        Key(
            "amr",
            .list(.text(token), count: 1...8),
            "The methods that a success proves (RFC 8176); "
                + "\(byType { "`[\($0.amr.joined(separator: ", "))]`" })."
        ),
        Key(
            "share",
            .choice(Check.Share.allCases.map(\.rawValue)),
            default: "client",
            "For whom a success counts where a scope asks for it: the `client` that asked, or every client of the `uid`."
        ),
        Key("minLength", .integer(PINRule.lengths), "The fewest characters of a new PIN, which has at most 12; 4."),
        Key("digitsOnly", .boolean, "Whether a PIN consists of digits; `true`."),
        Key(
            "allowEnrolment",
            .boolean,
            "Whether a person without a PIN or an authenticator sets it up where it is asked for, after the sign-in's checks; `true`."
        ),
        Key("realm", .text(segment), "The name of the realm of a provider of one's own."),
        Key(
            "url",
            .text(.init(maxLength: 512, form: "a URL")),
            "Where a custom identity provider is; `apps/TENANT/REALM` follows. https, or http on this machine."
        ),
        Key("tenant", .text(segment), "The tenant in a custom identity provider's path."),
        Key(
            "auth",
            .object([
                Key(
                    "kind",
                    .choice(CustomRealm.Proof.allCases.map(\.rawValue)),
                    default: "jwt",
                    "`jwt`: each request has a token that the authority's keys have signed."
                )
            ]),
            "How requests to a custom identity provider prove where they come from."
        ),
        Key(
            "passHeaders",
            .list(.choice(CustomRealm.Header.allCases.map(\.rawValue)), count: 0...8),
            default: "[]",
            "What a custom identity provider is told of the flow, and nothing else."
        ),
        Key("issuer", .text(.init(maxLength: 256, form: "a name")), "`iss` of the statements of an assertion check."),
        Key(
            "publicKey",
            .text(.init(maxLength: 8192, form: "a public key in PEM", hasLines: true)),
            "The RSA key of at least 2048 bits that verifies the statements of an assertion check."
        ),
    ]

    /// The default of each type: `3 for a password, 5 for a code`.
    private static func byType(_ value: (CheckType) -> String) -> String {
        CheckType.all.map { "\(value($0)) for \($0.noun)" }.joined(separator: ", ")
    }

    private static let segment = TextRule(maxLength: 64, form: "a name", pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$") {
        $0.isName(marks: "._-", digitFirst: true) ? nil : "must be letters, digits, dots, hyphens and underscores"
    }

    private static let token = TextRule(maxLength: 128, form: "text without spaces", pattern: "^\\S+$") {
        $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? nil : "must be printable ASCII without spaces"
    }
}
