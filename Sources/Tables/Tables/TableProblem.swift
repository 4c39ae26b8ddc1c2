package import FlowModel

/// An error in a row from a client or in a table declaration, after which the server writes nothing.
public struct TableProblem: Error, Hashable, Sendable {
    package let reason: Reason
    /// The name of the invalid column, or `nil` if the error does not concern a single column.
    public let column: String?

    package init(_ reason: Reason, column: String? = nil) {
        self.reason = reason
        self.column = column
    }

    /// Creates an error with a message from another program or from an operator.
    public init(message: String, column: String? = nil) {
        self.init(.stated(message), column: column)
    }

    /// The error message in English.
    public var message: String { said.english }
}

extension TableProblem: TextualError {
    package var said: EnglishText { reason.said }
}

extension TableProblem {
    package enum Reason: Hashable, Sendable {
        case stated(String)

        case idNotAllowed, invalidID, idNotPositive, idNotText, idNotNumber

        case repeatedColumn(String)
        case reservedColumn(String)
        case readOnlyColumn(String)
        case unknownColumn(String, table: String, nearest: String?)

        case missing(String)
        case tooShort(String, characters: Int)
        case tooLong(String, characters: Int)
        case otherForm(String, pattern: String)
        case tooSmall(String, least: String)
        case tooLarge(String, most: String)
        case notAllowed(String, values: String)
        case wrongType(String, ColumnType)
        case notADate(String)
        case listOrObject(String)
        case tooManyDigits(String)

        case unusableTableName(String)
        case unusableColumnName(String)
        case tooManyColumns(table: String, most: Int)
        case noMoreColumns(table: String, most: Int)
    }
}

extension TableProblem.Reason {
    package var said: EnglishText {
        switch self {
        case .stated(let sentence): EnglishText(exactly: sentence)
        case .idNotAllowed: .init("A value cannot be specified for property 'id'", "row.idNotAllowed")
        case .invalidID: .init("The id is too long or contains an invalid character", "row.invalidID")
        case .idNotPositive: .init("The id must be a whole number greater than zero", "row.idNotPositive")
        case .idNotText: .init("The id must be a string", "row.idNotText")
        case .idNotNumber: .init("The id must be a number", "row.idNotNumber")

        case .repeatedColumn(let name):
            .init("'\(name)' is repeated with different capitalization", "row.repeatedColumn", ["name": name])
        case .reservedColumn(let name):
            .init(
                "Cannot update the item because the property name '\(name)' is reserved",
                "row.reservedColumn",
                ["name": name]
            )
        case .readOnlyColumn(let name): .init("'\(name)' is read-only", "row.readOnlyColumn", ["name": name])
        case .unknownColumn(let name, let table, nil):
            .init("The table '\(table)' has no column '\(name)'", "row.unknownColumn", ["table": table, "name": name])
        case .unknownColumn(let name, let table, let nearest?):
            .init(
                "The table '\(table)' has no column '\(name)' (did you mean '\(nearest)'?)",
                "row.unknownColumn.nearest",
                ["table": table, "name": name, "nearest": nearest]
            )

        case .missing(let name): .init("'\(name)' is required", "row.missing", ["name": name])
        case .tooShort(let name, let characters):
            .init(
                "'\(name)' must have at least \(characters) characters",
                "row.tooShort",
                ["name": name, "characters": characters]
            )
        case .tooLong(let name, let characters):
            .init(
                "'\(name)' can have at most \(characters) characters",
                "row.tooLong",
                ["name": name, "characters": characters]
            )
        case .otherForm(let name, let pattern):
            .init("'\(name)' must match the pattern \(pattern)", "row.otherForm", ["name": name, "pattern": pattern])
        case .tooSmall(let name, let least):
            .init("'\(name)' must be at least \(least)", "row.tooSmall", ["name": name, "least": least])
        case .tooLarge(let name, let most):
            .init("'\(name)' must be at most \(most)", "row.tooLarge", ["name": name, "most": most])
        case .notAllowed(let name, let values):
            .init("'\(name)' must be one of \(values)", "row.notAllowed", ["name": name, "values": values])
        case .wrongType(let name, let type):
            .init("'\(name)' must be a \(type.rawValue)", "row.wrongType", ["name": name, "type": type.rawValue])
        case .notADate(let name):
            .init(
                "'\(name)' must be a UTC date and time with a year from 1 to 9999, such as 2026-11-21T09:00:00.000Z",
                "row.notADate",
                ["name": name]
            )
        case .listOrObject(let name):
            .init("'\(name)' must not be an array or an object", "row.listOrObject", ["name": name])
        case .tooManyDigits(let name):
            .init("'\(name)' has more digits than can be stored", "row.tooManyDigits", ["name": name])

        case .unusableTableName(let name):
            .init("'\(name)' is not a valid table name", "row.unusableTableName", ["name": name])
        case .unusableColumnName(let name):
            .init("'\(name)' cannot be used as a column name", "row.unusableColumnName", ["name": name])
        case .tooManyColumns(let table, let most):
            .init(
                "The table '\(table)' has more than \(most) columns",
                "row.tooManyColumns",
                ["table": table, "most": most]
            )
        case .noMoreColumns(let table, let most):
            .init(
                "The table '\(table)' cannot have more than \(most) columns",
                "row.noMoreColumns",
                ["table": table, "most": most]
            )
        }
    }
}
