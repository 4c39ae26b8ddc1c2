public import StrictYAML

extension PolicyShape {
    /// The schema of `policies/checks.yaml`.
    public static let checks: Shape = .object([
        Key("checks", .dictionary(key: checkName, .object(check), count: 0...64), default: "{}", "The checks by name."),
        Key(
            "order",
            .dictionary(
                key: checkName,
                .object([Key("after", checkNames, default: "[]", "The checks that must come before this one.")]),
                count: 0...64
            ),
            default: "{}",
            "The order of the checks. The default is the order of the file."
        ),
    ])

    private static let check: [Key] = [
        Key(
            required: "type",
            .choice(CheckType.all.map(\.name)),
            "How the check authenticates the user."
        ),
        Key(
            "maxAttempts",
            .integer(1...100),
            "The number of wrong answers that block the check; \(byType { "\($0.maxAttempts)" })."
        ),
        Key(
            "attemptingStateExpirationSec",
            .integer(10...900),
            "How long a step waits for an answer, in seconds; \(byType { "\($0.attemptingStateExpiration.components.seconds)" })."
        ),
        Key(
            "successStateExpirationSec",
            .integer(1...7_776_000),
            "How long a passed check is valid, in seconds. By default as long as the session, and 3600 if a scope requires it."
        ),
        Key(
            "blockedStateExpirationSec",
            .integer(0...86_400),
            "The duration of the first block, in seconds; "
                + "\(byType { "\($0.blockedStateExpiration.components.seconds)" }); 0 disables blocks."
        ),
        Key(
            "blockedBackoff",
            .object([
                Key(
                    "factor",
                    .integer(1...10),
                    default: "2",
                    "The factor by which each block is longer than the previous one."
                ),
                Key("maxSec", .integer(1...86_400), default: "3600", "The maximum duration of a block, in seconds."),
            ]),
            "How the duration of blocks grows."
        ),
        Key(
            "dailyLimit",
            .integer(1...100),
            default: "100",
            "The number of wrong answers per day, from all uids and browsers, that locks a user for the rest of the day. "
                + "A PIN, and an origin where the user has signed in before, have only `maxAttempts`."
        ),
        Key(
            "rememberMeDurationSec",
            .integer(0...7_776_000),
            default: "0",
            "How long users can choose to be remembered after the correct password, in seconds. 0 disables the choice."
        ),
        Key("acr", .text(token), "The authentication context of a passed check; \(byType { "`\"\($0.acr)\"`" })."),
        Key(
            "amr",
            .list(.text(token), count: 1...8),
            "Authentication methods (RFC 8176): "
                + "\(byType { "`[\($0.amr.joined(separator: ", "))]`" })."
        ),
        Key(
            "share",
            .choice(Check.Share.allCases.map(\.rawValue)),
            default: "client",
            "The clients for which a passed check is valid if a scope requires the check: the requesting `client`, or every client of the `uid`."
        ),
        Key("minLength", .integer(PINRule.lengths), "The minimum length of a new PIN, at most 12; `4`."),
        Key("digitsOnly", .boolean, "Whether a PIN may contain only digits; `true`."),
        Key(
            "allowEnrolment",
            .boolean,
            "Whether a user without a PIN or an authenticator may enrol one when prompted for it, after the sign-in checks; `true`."
        ),
        Key("realm", .text(segment), "The realm of a custom identity provider or of an assertion check."),
        Key(
            "url",
            .text(.init(maxLength: 512, form: "a URL")),
            "The base URL of a custom identity provider, to which `apps/TENANT/REALM` is appended. https, or http on this machine."
        ),
        Key("tenant", .text(segment), "The tenant in the path of a custom identity provider."),
        Key(
            "auth",
            .object([
                Key(
                    "kind",
                    .choice(CustomRealm.Proof.allCases.map(\.rawValue)),
                    default: "jwt",
                    "`jwt`: each request contains a token signed with the authority's key."
                )
            ]),
            "How requests to a custom identity provider are authenticated."
        ),
        Key(
            "passHeaders",
            .list(.choice(CustomRealm.Header.allCases.map(\.rawValue)), count: 0...8),
            default: "[]",
            "The details of the flow that are sent to a custom identity provider. Nothing else is sent."
        ),
        Key("issuer", .text(.init(maxLength: 256, form: "a name")), "The issuer (`iss`) of the assertions."),
        Key(
            "publicKey",
            .text(.init(maxLength: 8192, form: "a public key in PEM", hasLines: true)),
            "The RSA key of at least 2048 bits that verifies the assertions."
        ),
    ]

    /// Returns a list of the default values for all types of checks, such as `3 for a password, 5 for a code`.
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
