import StrictYAML
import Tables

/// What may stand under a table's name in `tasksd.yaml`.
enum TableShape {
    static let table: [Key] = [
        Key("id", .choice(["string"], later: ["integer"]), default: "string", "What ids are."),
        Key("perUser", .boolean, default: "true", "Whether each person sees own rows only."),
        Key("softDelete", .boolean, default: "true", "Whether a deleted row leaves a trace for clients that sync."),
        Key("tombstoneDays", .integer(1...3650), default: "30", "How long that trace is kept, in days."),
        Key(
            "dynamicSchema",
            .later(.boolean, needs: "columns made by inserts"),
            default: "false",
            "Whether inserts make columns."
        ),
        Key("compat", .choice(["v2"], later: ["v1"]), default: "v2", "The protocol that clients speak."),
        Key("access", .object(TableDefinition.Verb.allCases.map(access)), "Who may use which verb."),
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
            .dictionary(key: Rules.name, .object(column), count: 1...TableDefinition.maxColumns),
            "The columns by name."
        ),
        Key("seed", .later(.anything, needs: "rows to begin with"), "Rows to begin with."),
        Key("hook", .later(.anything, needs: "hooks"), "What is asked before an operation."),
    ]

    private static func access(_ verb: TableDefinition.Verb) -> Key {
        Key(
            verb.rawValue,
            .choice(["anonymous", "authenticated", "disabled"], later: ["application", "admin"]),
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
            "The most characters of text; if left out, \(Column.defaultMaxLength)."
        ),
        Key("min", .number, "The smallest number."),
        Key("max", .number, "The largest number."),
        Key("pattern", .later(.anything, needs: "patterns of columns"), "What text must match."),
        Key("enum", .list(.scalar, count: 1...256), "The only values."),
        Key("readOnly", .boolean, default: "false", "Whether clients may not write it."),
        Key("set", .choice(Column.Source.allCases.map(\.rawValue)), "What the server writes there at an insert."),
        Key("message", .text(.init(maxLength: 256, form: "a sentence")), "What is answered when a rule is broken."),
    ]
}
