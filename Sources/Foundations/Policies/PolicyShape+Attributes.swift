import StrictYAML

/// The attributes within a policy's file, and what their answers must be.
extension PolicyShape {
    static let attribute: [Key] = [
        Key(
            required: "name",
            .text(.init(maxLength: 64, form: "an attribute's name")),
            "A built-in attribute, or `extension_` and a name of your own."
        ),
        Key(
            "type",
            .choice(AttributeRule.Kind.allCases.map(\.rawValue)),
            "What an answer is; that of the built-in attribute, else `string`."
        ),
        Key(
            "input",
            .choice(AttributeRule.Input.allCases.map(\.rawValue)),
            "How it is asked; if left out as its type is."
        ),
        Key("required", .boolean, "Whether there must be an answer; `true` for the sign-in name, else `false`."),
        Key("verify", .boolean, "Whether a code proves the address; `true` if it is the sign-in name, else `false`."),
        Key(
            "options",
            .list(.either([.text(.init(maxLength: 250)), .object(option)]), count: 0...100),
            default: "[]",
            "The only answers."
        ),
        Key("label", words, default: "{}", "What the person reads, by language."),
        Key("minLength", .integer(0...1024), default: "0", "The fewest characters."),
        Key("maxLength", .integer(1...1024), "The most characters; that of the built-in attribute, else 250."),
        Key("pattern", .text(pattern), "What the whole answer must match."),
        Key(
            "validation",
            .text(.init(maxLength: 64, form: "a validation's name")),
            "One of `validations`, which the answer must meet."
        ),
    ]

    private static let option: [Key] = [
        Key(required: "value", .text(.init(maxLength: 250)), "The answer, as it is stored and stands in tokens."),
        Key("label", words, default: "{}", "What the person reads, by language; if left out the value."),
        Key("selected", .boolean, default: "false", "Whether it is chosen for somebody who signs up."),
    ]

    static let predicates: Shape = .dictionary(key: ruleName, .object(predicate), count: 0...100)

    static let validations: Shape = .dictionary(key: ruleName, .list(.object(group), count: 1...16), count: 0...100)

    private static let predicate: [Key] = [
        Key(
            required: "method",
            .choice(PredicateReader.Method.allCases.map(\.rawValue)),
            "How the answer is looked at."
        ),
        Key(
            required: "help",
            .dictionary(key: language, .text(.init(maxLength: 250)), count: 1...64),
            "The sentence that stands at the field, by language."
        ),
        Key("minLength", .integer(0...1024), "The fewest characters; for `isLengthRange`."),
        Key("maxLength", .integer(1...1024), "The most characters; for `isLengthRange`."),
        Key("pattern", .text(pattern), "What the whole answer must match; for `matchesRegex`."),
        Key(
            "characters",
            .text(
                .init(maxLength: 250, form: "characters such as `a-z`") {
                    CharacterChoice($0) == nil ? "must be characters and ranges of them, such as a-z" : nil
                }
            ),
            "The characters of which it must have one, such as `a-z` or `@#$`; for `includesCharacters`."
        ),
        Key("from", day, "The first day; for `isDateRange`."),
        Key("to", day, "The last day; for `isDateRange`."),
    ]

    private static let group: [Key] = [
        Key(required: "predicates", .list(.text(ruleName), count: 1...16), "The predicates of the group."),
        Key("atLeast", .integer(1...16), "How many of them must hold; if left out all of them."),
        Key("help", words, default: "{}", "The sentence that stands at the field in place of theirs, by language."),
    ]

    private static let words: Shape = .dictionary(key: language, .text(.init(maxLength: 250)), count: 0...64)

    private static let pattern = TextRule(maxLength: 512, form: "a regular expression")

    private static let day: Shape = .either([
        .choice(["today"]),
        .text(
            .init(maxLength: 10, form: "a day such as `2000-12-31`", pattern: "^\\d{4}-\\d{2}-\\d{2}$") {
                CalendarDay($0) == nil ? "must be a day such as 2000-12-31" : nil
            }
        ),
    ])

    private static let ruleName = TextRule(maxLength: 64, form: "a name", pattern: "^[A-Za-z][A-Za-z0-9_]*$") {
        $0.isName(marks: "_") ? nil : "must be letters, digits and underscores"
    }
}
