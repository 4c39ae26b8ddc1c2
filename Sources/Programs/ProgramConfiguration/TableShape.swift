import StrictYAML
import Tables

enum TableShape {
    static let table: [Key] = [
        Key(
            "id",
            .choice(of: TableDeclaration.IDKind.self),
            default: "string",
            "The type of ids: strings, or integers that the server assigns."
        ),
        Key(
            "perUser",
            .boolean,
            default: "true",
            "Whether each user has separate rows and cannot see those of others."
        ),
        Key("softDelete", .boolean, default: "true", "Whether a deleted row leaves a tombstone for clients that sync."),
        Key("tombstoneDays", .integer(1...3650), default: "30", "Days until a tombstone is removed."),
        Key(
            "dynamicSchema",
            .boolean,
            default: "false",
            "Whether a row creates the columns that it contains but the table does not have."
        ),
        Key("compat", .choice(["v2", "v1"]), default: "v2", "The version of the protocol that clients use."),
        Key("access", .object(TableDeclaration.Verb.allCases.map(access)), "The access level of each verb."),
        Key(
            "scopes",
            .object([
                Key("read", .text(Rules.scope), default: "tasks.read", "The scope that reads require."),
                Key("write", .text(Rules.scope), default: "tasks.write", "The scope that writes require."),
            ]),
            "The scopes that verbs require."
        ),
        Key(
            required: "columns",
            .dictionary(key: Rules.name, .object(column), count: 0...TableDeclaration.maxColumns),
            "The columns by name. The mapping may be empty only with `dynamicSchema`."
        ),
        Key(
            "seed",
            .text(Rules.path),
            "A JSON file with a list of rows to insert when the table is created. In a `perUser` table, each row specifies its user as `$owner`."
        ),
        // A hook has required keys. `either` makes the hook itself optional, so no default is required.
        Key("hook", .either([.object(hook)]), "The service that is called before an operation."),
    ]

    private static let hook: [Key] = [
        Key(required: "url", .text(Rules.hook), "The address of the hook."),
        Key(
            "operations",
            .list(.choice(of: TableHook.Operation.self), count: 1...TableHook.Operation.allCases.count),
            default: "[insert, update, delete, undelete]",
            "The operations for which the hook is called."
        ),
        Key("timeoutSec", .integer(1...60), default: "5", "The timeout of one call, in seconds."),
    ]

    private static func access(_ verb: TableDeclaration.Verb) -> Key {
        Key(
            verb.rawValue,
            .choice(of: TableDeclaration.Access.self),
            default: "authenticated",
            "The access level of \(verb.rawValue)."
        )
    }

    private static let column: [Key] = [
        Key(required: "type", .choice(of: ColumnType.self), "The type of the values."),
        Key("required", .boolean, default: "false", "Whether a row without a value is rejected."),
        Key("default", .scalar, "The value to use if an insert does not set the column."),
        Key("minLength", .integer(0...1_048_576), default: "0", "The minimum length of text, in characters."),
        Key(
            "maxLength",
            .integer(1...1_048_576),
            "The maximum length of text, in characters. Default: \(TableColumn.defaultMaxLength). With `pattern`, the default and the maximum are \(Pattern.longestText)."
        ),
        Key("min", .number, "The minimum."),
        Key("max", .number, "The maximum."),
        Key("pattern", .text(Rules.pattern), "A pattern that the whole text must match."),
        Key("enum", .list(.scalar, count: 1...256), "The permitted values."),
        Key("readOnly", .boolean, default: "false", "Whether clients cannot write the column."),
        Key(
            "set",
            .choice(of: TableColumn.Source.self),
            "The value that the server sets on every insert: the caller's id, the time, or a new UUID."
        ),
        Key(
            "message",
            .text(.init(maxLength: 256, form: "a sentence")),
            "The error message for a value that violates a rule."
        ),
    ]
}
