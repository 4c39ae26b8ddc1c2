import StrictYAML

extension PolicyShape {
    static let attribute: [Key] = [
        Key(
            required: "name",
            .text(.init(maxLength: 64, form: "an attribute name")),
            "A built-in attribute, or `extension_` and a custom name."
        ),
        Key(
            "type",
            .choice(AttributeRule.Kind.allCases.map(\.rawValue)),
            "The type of the values. The default is that of the built-in attribute, or `string`."
        ),
        Key(
            "input",
            .choice(AttributeRule.Input.allCases.map(\.rawValue)),
            "The input style. The default depends on the type."
        ),
        Key(
            "required",
            .boolean,
            "Whether a value is required. The default is `true` for the sign-in name, and `false` for others."
        ),
        Key(
            "verify",
            .boolean,
            "Whether the user must verify the address with a code. The default is `true` for the sign-in name, and `false` for others."
        ),
        Key(
            "options",
            .list(.either([.text(.init(maxLength: 250)), .object(option)]), count: 0...100),
            default: "[]",
            "The allowed values."
        ),
        Key("label", words, default: "{}", "The label, by language."),
        Key("minLength", .integer(0...1024), default: "0", "The minimum number of characters."),
        Key(
            "maxLength",
            .integer(1...1024),
            "The maximum number of characters. The default is that of the built-in attribute, or 250."
        ),
        Key("pattern", .text(pattern), "A regular expression that the whole value must match."),
        Key(
            "validation",
            .text(.init(maxLength: 64, form: "a validation name")),
            "The name of one of `validations`, which the value must satisfy."
        ),
    ]

    private static let option: [Key] = [
        Key(required: "value", .text(.init(maxLength: 250)), "The value, as it is stored and as tokens contain it."),
        Key("label", words, default: "{}", "The label, by language. The default is the value."),
        Key("selected", .boolean, default: "false", "Whether the option is preselected at sign-up."),
    ]

    static let predicates: Shape = .dictionary(key: ruleName, .object(predicate), count: 0...100)

    static let validations: Shape = .dictionary(key: ruleName, .list(.object(group), count: 1...16), count: 0...100)

    private static let predicate: [Key] = [
        Key(
            required: "method",
            .choice(PredicateReader.Method.allCases.map(\.rawValue)),
            "The kind of condition."
        ),
        Key(
            required: "help",
            .dictionary(key: language, .text(.init(maxLength: 250)), count: 1...64),
            "The help text at the field, by language."
        ),
        Key("minLength", .integer(0...1024), "The minimum number of characters, for `isLengthRange`."),
        Key("maxLength", .integer(1...1024), "The maximum number of characters, for `isLengthRange`."),
        Key("pattern", .text(pattern), "A regular expression that the whole value must match, for `matchesRegex`."),
        Key(
            "characters",
            .text(
                .init(maxLength: 250, form: "characters such as `a-z`") {
                    CharacterChoice($0) == nil ? "must be characters and ranges of them, such as a-z" : nil
                }
            ),
            "The characters of which the value must contain one, such as `a-z` or `@#$`, for `includesCharacters`."
        ),
        Key("from", day, "The first allowed day, for `isDateRange`."),
        Key("to", day, "The last allowed day, for `isDateRange`."),
    ]

    private static let group: [Key] = [
        Key(required: "predicates", .list(.text(ruleName), count: 1...16), "The predicates of the group."),
        Key("atLeast", .integer(1...16), "How many of the predicates must be satisfied. The default is all of them."),
        Key(
            "help",
            words,
            default: "{}",
            "The help text at the field, by language. It replaces the texts of the predicates."
        ),
    ]

    private static let words: Shape = .dictionary(key: language, .text(.init(maxLength: 250)), count: 0...64)

    private static let pattern = TextRule(maxLength: 512, form: "a regular expression")

    private static let day: Shape = .either([
        .choice(["today"]),
        .text(
            .init(maxLength: 10, form: "a date such as `2000-12-31`", pattern: "^\\d{4}-\\d{2}-\\d{2}$") {
                CalendarDay($0) == nil ? "must be a day such as 2000-12-31" : nil
            }
        ),
    ])

    private static let ruleName = TextRule(maxLength: 64, form: "a name", pattern: "^[A-Za-z][A-Za-z0-9_]*$") {
        $0.isName(marks: "_") ? nil : "must be letters, digits and underscores"
    }
}
