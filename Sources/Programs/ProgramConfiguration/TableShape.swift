import StrictYAML
import Tables

/// The keys under a table's name in `tasksd.yaml`.
enum TableShape {
    static let table: [Key] = [
        Key(
            "id",
            .choice(of: TableDeclaration.IDKind.self),
            default: "string",
            "The kind of ids: texts, or numbers that the server counts."
        ),
        Key("perUser", .boolean, default: "true", "Each person has own rows and sees no others."),
        Key("softDelete", .boolean, default: "true", "A deleted row leaves a tombstone for clients that sync."),
        Key("tombstoneDays", .integer(1...3650), default: "30", "Days that tombstones are kept."),
        Key(
            "dynamicSchema",
            .boolean,
            default: "false",
            "Rows make the columns that they name and the table lacks."
        ),
        Key("compat", .choice(["v2", "v1"]), default: "v2", "The protocol that clients speak."),
        Key("access", .object(TableDeclaration.Verb.allCases.map(access)), "The access to each verb."),
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
        Key("hook", .either([.object(hook)]), "The service that is asked before an operation."),
    ]

    private static let hook: [Key] = [
        Key(required: "url", .text(Rules.hook), "The address where it listens."),
        Key(
            "operations",
            .list(.choice(of: TableHook.Operation.self), count: 1...TableHook.Operation.allCases.count),
            default: "[insert, update, delete, undelete]",
            "The operations it is asked about."
        ),
        Key("timeoutSec", .integer(1...60), default: "5", "Seconds that one question may take."),
    ]

    private static func access(_ verb: TableDeclaration.Verb) -> Key {
        Key(
            verb.rawValue,
            .choice(of: TableDeclaration.Access.self),
            default: "authenticated",
            "The access to \(verb.rawValue)."
        )
    }

    private static let column: [Key] = [
        Key(required: "type", .choice(of: ColumnType.self), "The type of its values."),
        Key("required", .boolean, default: "false", "A row without it is refused."),
        Key("default", .scalar, "The value of an insert that does not name it."),
        Key("minLength", .integer(0...1_048_576), default: "0", "The fewest characters of text."),
        Key(
            "maxLength",
            .integer(1...1_048_576),
            "The most characters of text; if left out, \(TableColumn.defaultMaxLength), or \(Pattern.longestText) beside `pattern`, which is the most there."
        ),
        Key("min", .number, "The smallest number."),
        Key("max", .number, "The largest number."),
        Key("pattern", .text(Rules.pattern), "The form of the whole text."),
        Key("enum", .list(.scalar, count: 1...256), "The only values."),
        Key("readOnly", .boolean, default: "false", "Clients cannot write it."),
        Key(
            "set",
            .choice(of: TableColumn.Source.self),
            "The value that the server sets at every insert: the caller's id, the time, a new UUID."
        ),
        Key("message", .text(.init(maxLength: 256, form: "a sentence")), "The answer when a rule is broken."),
    ]
}
