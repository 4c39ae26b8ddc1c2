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
            .integer(86_400...31_536_000),
            default: "7776000",
            "When to sign in again whatever the refresh token says, in seconds; not less than a refresh token's life."
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
        Key("keepMeSignedInDays", .integer(0...90), default: "0", "How long a browser may stay signed in, in days."),
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
            )
        ]),
        .object(passwordRule),
    ])

    private static let passwordRule: [Key] = [
        Key("minLength", .integer(4...256), default: "8", "The fewest characters."),
        Key("maxLength", .integer(4...256), default: "64", "The most characters."),
        Key("classes", .integer(1...4), default: "3", "How many of lower case, upper case, digits and symbols."),
    ]

    static let secondFactor: [Key] = [
        Key("when", .choice(["never"], later: ["always", "newDevice"]), default: "never", "When it is asked."),
        Key("checks", .later(.anything, needs: "second factors"), default: "[]", "The checks that count as one."),
    ]

    static let pages: [Key] = [
        Key(
            "title",
            .later(.text(.init(maxLength: 128)), needs: "hosted pages"),
            default: "Tasks",
            "The title of pages and prompts."
        ),
        Key("logo", .later(.anything, needs: "hosted pages"), default: "none", "A picture above the form."),
        Key(
            "colours",
            .object([
                Key(
                    "accent",
                    .later(.text(colour), needs: "hosted pages"),
                    default: "\"#0b57d0\"",
                    "The colour of buttons and links."
                )
            ]),
            "The colours of pages."
        ),
        Key("background", .later(.anything, needs: "hosted pages"), default: "none", "A picture behind the form."),
        Key("template", .later(.anything, needs: "hosted pages"), default: "none", "A page of your own."),
    ]

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
            .later(.text(language), needs: "translated texts"),
            default: "en",
            "The language for whoever asks for none we have."
        ),
        Key("overrides", .later(.anything, needs: "translated texts"), default: "{}", "Texts of your own."),
    ]
}
