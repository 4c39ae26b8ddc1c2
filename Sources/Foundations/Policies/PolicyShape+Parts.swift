import FlowModel
import StrictYAML

/// The schema of the nested mappings in a policy file, with the same numeric ranges as in B2C.
extension PolicyShape {
    static let tokens: [Key] = [
        Key(
            "accessTokenLifetimeSec",
            .integer(300...86_400),
            default: "3600",
            "The lifetime of an access token, in seconds."
        ),
        Key("idTokenLifetimeSec", .integer(300...86_400), default: "3600", "The lifetime of an ID token, in seconds."),
        Key(
            "refreshTokenLifetimeSec",
            .integer(86_400...7_776_000),
            default: "1209600",
            "The lifetime of a refresh token, in seconds."
        ),
        Key(
            "slidingWindowSec",
            .either([.choice(["none"]), .integer(86_400...31_536_000)]),
            default: "7776000",
            "How long after the sign-in its refresh tokens expire, in seconds: at least the lifetime of one. With `none` they do not expire, and a session in use ends 365 days after the sign-in."
        ),
    ]

    static let session: [Key] = [
        Key(
            "scope",
            .choice(SessionScope.allCases.map(\.rawValue)),
            default: "tenant",
            "Which requests may use a session without prompting the user."
        ),
        Key(
            "type",
            .choice(SessionRule.Kind.allCases.map(\.rawValue)),
            default: "rolling",
            "Whether the lifetime counts from the last use or from the sign-in."
        ),
        Key("lifetimeSec", .integer(900...86_400), default: "86400", "The lifetime of a session, in seconds."),
        Key(
            "keepMeSignedInDays",
            .integer(0...90),
            default: "0",
            "How long a browser may stay signed in with a local account, in days."
        ),
        Key(
            "requireIdTokenHintAtLogout",
            .boolean,
            default: "false",
            "Whether a sign-out in a browser must identify its session by an ID token."
        ),
    ]

    static let password: Shape = .either([
        .object([
            Key(
                "strength",
                .either([.choice(["simple", "strong"]), .object(passwordRule)]),
                default: "strong",
                "`simple`: 8 to 64 characters. `strong`: also three of four character classes. Or a custom rule."
            ),
            Key(
                "expireAfterDays",
                .integer(0...3650),
                default: "0",
                "The age in days after which users must change the password at sign-in. 0 means never."
            ),
            Key(
                "validation",
                .text(.init(maxLength: 64, form: "a validation name")),
                "The name of one of `validations`, which a new password must also satisfy."
            ),
        ]),
        .object(passwordRule),
    ])

    private static let passwordRule: [Key] = [
        Key("minLength", .integer(4...256), default: "8", "The minimum number of characters."),
        Key("maxLength", .integer(4...256), default: "64", "The maximum number of characters."),
        Key(
            "classes",
            .integer(1...4),
            default: "3",
            "The required number of classes out of lower case, upper case, digits and symbols."
        ),
    ]

    static let secondFactor: [Key] = [
        Key(
            "when",
            .choice(SecondFactor.Occasion.allCases.map(\.rawValue)),
            default: "never",
            "When it is required: at every sign-in, or on a device without a second factor within the last 90 days."
        ),
        Key(
            "checks",
            checkNames,
            default: "[]",
            "The accepted checks. One of them is sufficient. The user is prompted for the first one that is enrolled, or else enrols one."
        ),
    ]

    static let pages: [Key] = [
        Key("title", .text(.init(maxLength: 128)), default: "Tasks", "The title at the top of pages."),
        Key("logo", pageFile(".png, .jpg, .webp or .svg"), default: "none", "An image beside the title."),
        Key(
            "colours",
            .object([
                Key("accent", .text(colour), default: "\"#0b57d0\"", "The colour of the main button and of focus.")
            ]),
            "The colours of pages."
        ),
        Key(
            "background",
            .either([.choice(["none"]), .text(colour), .text(pageFileName(".png, .jpg, .webp or .svg"))]),
            default: "none",
            "A colour or an image behind the form."
        ),
        Key("template", pageFile(".html"), default: "none", "A custom HTML page around the form."),
    ]

    private static func pageFile(_ endings: String) -> Shape {
        .either([.choice(["none"]), .text(pageFileName(endings))])
    }

    private static func pageFileName(_ endings: String) -> TextRule {
        TextRule(
            maxLength: 128,
            form: "the name of a \(endings) file in the policy's folder",
            pattern: "^[^/#][^/]*$"
        ) {
            $0.contains("/") || $0.hasPrefix("#")
                ? "must be the name of a file beside the policy, without a folder" : nil
        }
    }

    private static let colour = TextRule(
        maxLength: 7,
        form: "a colour such as `#0b57d0`",
        pattern: "^#[0-9a-fA-F]{6}$"
    ) {
        $0.utf8.count == 7 && $0.hasPrefix("#")
            && $0.utf8.dropFirst().allSatisfy { $0.isASCIIDigit || (0x61...0x66).contains($0 | 0x20) }
            ? nil : "must be # and six hexadecimal digits"
    }

    static let languages: [Key] = [
        Key(
            "default",
            .text(language),
            default: "en",
            "The default language. `en` and `de` are built in."
        ),
        Key(
            "overrides",
            .dictionary(key: language, .dictionary(key: sentence, .text(.init(maxLength: 500))), count: 0...50),
            default: "{}",
            "Custom texts, by language and by the name of the text."
        ),
    ]

    private static let sentence = TextRule(maxLength: 64, form: "the name of a text")
}
