import FlowModel
import StrictYAML

/// The mappings within a policy's file; ranges are B2C's.
extension PolicyShape {
    static let tokens: [Key] = [
        Key("accessTokenLifetimeSec", .integer(300...86_400), default: "3600", "Life of an access token, in seconds."),
        Key("idTokenLifetimeSec", .integer(300...86_400), default: "3600", "Life of an ID token, in seconds."),
        Key(
            "refreshTokenLifetimeSec",
            .integer(86_400...7_776_000),
            default: "1209600",
            "Life of one refresh token, in seconds."
        ),
        Key(
            "slidingWindowSec",
            .either([.choice(["none"]), .integer(86_400...31_536_000)]),
            default: "7776000",
            "When to sign in again whatever the refresh token says, in seconds; not less than a refresh token's life. `none` for never; a session that is used ends 365 days after the sign-in then."
        ),
    ]

    static let session: [Key] = [
        Key(
            "scope",
            .choice(SessionScope.allCases.map(\.rawValue)),
            default: "tenant",
            "Who may use a session without a question."
        ),
        Key(
            "type",
            .choice(SessionRule.Kind.allCases.map(\.rawValue)),
            default: "rolling",
            "Whether its life counts from the last use or from the sign-in."
        ),
        Key("lifetimeSec", .integer(900...86_400), default: "86400", "Life of a session, in seconds."),
        Key(
            "keepMeSignedInDays",
            .integer(0...90),
            default: "0",
            "How long a browser may stay signed in with an account of here, in days."
        ),
        Key(
            "requireIdTokenHintAtLogout",
            .boolean,
            default: "false",
            "Whether a sign-out in a browser must name its session."
        ),
    ]

    static let password: Shape = .either([
        .object([
            Key(
                "strength",
                .either([.choice(["simple", "strong"]), .object(passwordRule)]),
                default: "strong",
                "`simple`: 8 to 64 characters; `strong`: three of four classes beside; or a rule of your own."
            ),
            Key(
                "expireAfterDays",
                .integer(0...3650),
                default: "0",
                "The age at which a sign-in asks for another password, in days; 0 for never."
            ),
            Key(
                "validation",
                .text(.init(maxLength: 64, form: "a validation's name")),
                "One of `validations`, which a new password must meet beside."
            ),
        ]),
        .object(passwordRule),
    ])

    private static let passwordRule: [Key] = [
        Key("minLength", .integer(4...256), default: "8", "The fewest characters."),
        Key("maxLength", .integer(4...256), default: "64", "The most characters."),
        Key("classes", .integer(1...4), default: "3", "How many of lower case, upper case, digits and symbols."),
    ]

    static let secondFactor: [Key] = [
        Key(
            "when",
            .choice(SecondFactor.Occasion.allCases.map(\.rawValue)),
            default: "never",
            "When it is asked: at every sign-in, or where the person has not proved one within 90 days."
        ),
        Key(
            "checks",
            checkNames,
            default: "[]",
            "The checks of which one is enough: the first that the person has, or else sets up."
        ),
    ]

    static let pages: [Key] = [
        Key("title", .text(.init(maxLength: 128)), default: "Tasks", "The name at the top of pages."),
        Key("logo", pageFile(".png, .jpg, .webp or .svg"), default: "none", "A picture beside the title."),
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
            "A colour or a picture behind the form."
        ),
        Key("template", pageFile(".html"), default: "none", "A page of your own around the form."),
    ]

    private static func pageFile(_ endings: String) -> Shape {
        .either([.choice(["none"]), .text(pageFileName(endings))])
    }

    private static func pageFileName(_ endings: String) -> TextRule {
        TextRule(maxLength: 128, form: "the name of a \(endings) file beside the policy", pattern: "^[^/#][^/]*$") {
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
            "The language for whoever asks for none that there is; built in are `en` and `de`."
        ),
        Key(
            "overrides",
            .dictionary(key: language, .dictionary(key: sentence, .text(.init(maxLength: 500))), count: 0...50),
            default: "{}",
            "Texts of your own, by language and by the name of the text."
        ),
    ]

    private static let sentence = TextRule(maxLength: 64, form: "a text's name")
}
