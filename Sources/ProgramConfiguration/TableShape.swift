import StrictYAML
import Tables

/// Grammar of one table in `tasksd.yaml`.
enum TableShape {
    static let table: [Key] = [
        Key(
            "id",
            .choice(TableDeclaration.IDKind.allCases.map(\.rawValue)),
            default: "string",
            "What ids are: texts, or numbers that the server counts."
        ),
        Key("perUser", .boolean, default: "true", "Whether each person sees own rows only."),
        Key("softDelete", .boolean, default: "true", "Whether a deleted row leaves a trace for clients that sync."),
        Key("tombstoneDays", .integer(1...3650), default: "30", "How long that trace is kept, in days."),
        Key(
            "dynamicSchema",
            .boolean,
            default: "false",
            "Whether rows make the columns that they name and that are not there."
        ),
        Key("compat", .choice(["v2", "v1"]), default: "v2", "The protocol that clients speak."),
        Key("access", .object(TableDeclaration.Verb.allCases.map(access)), "Who may use which verb."),
        Key(
            "scopes",
            .object([
                Key("read", .text(Rules.scope), default: "tasks.read", "The scope that reading asks for."),
                Key("write", .text(Rules.scope), default: "tasks.write", "The scope that every change asks for."),
            ]),
            "The scopes that verbs ask for."
        ),
        Key(
            required: "columns",
            .dictionary(key: Rules.name, .object(column), count: 0...TableDeclaration.maxColumns),
            "The columns by name; none only with `dynamicSchema`."
        ),
        Key(
            "seed",
            .text(Rules.path),
            "A JSON file with a list of rows that are inserted once, when the table is made; in a table that is perUser each says its person as `$owner`."
        ),
        // Two shapes, so that a table without a hook has none, rather than one of defaults.
        Key("hook", .either([.object(hook)]), "What is asked before an operation."),
    ]

    private static let hook: [Key] = [
        Key(required: "url", .text(Rules.hook), "Where it listens."),
        Key(
            "operations",
            .list(.choice(TableHook.Operation.allCases.map(\.rawValue)), count: 1...TableHook.Operation.allCases.count),
            default: "[insert, update, delete, undelete]",
            "What it is asked about."
        ),
        Key("timeoutSec", .integer(1...60), default: "5", "How long one question may take, in seconds."),
    ]

    private static func access(_ verb: TableDeclaration.Verb) -> Key {
        Key(
            verb.rawValue,
            .choice(TableDeclaration.Access.allCases.map(\.rawValue)),
            default: "authenticated",
            "Who may \(verb.rawValue)."
        )
    }

    private static let column: [Key] = [
        Key(required: "type", .choice(ColumnType.allCases.map(\.rawValue)), "What it holds."),
        Key("required", .boolean, default: "false", "Whether a row without it is refused."),
        Key("default", .scalar, "What an insert without it gets."),
        Key("minLength", .integer(0...1_048_576), default: "0", "The fewest characters of text."),
        Key(
            "maxLength",
            .integer(1...1_048_576),
            "The most characters of text; if left out, \(TableColumn.defaultMaxLength)."
        ),
        Key("min", .number, "The smallest number."),
        Key("max", .number, "The largest number."),
        Key("pattern", .text(Rules.pattern), "What a text must match as a whole."),
        Key("enum", .list(.scalar, count: 1...256), "The only values."),
        Key("readOnly", .boolean, default: "false", "Whether clients may not write it."),
        Key("set", .choice(TableColumn.Source.allCases.map(\.rawValue)), "What the server writes there at an insert."),
        Key("message", .text(.init(maxLength: 256, form: "a sentence")), "What is answered when a rule is broken."),
    ]
}
