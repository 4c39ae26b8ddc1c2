package import FlowModel

/// A mistake in a row that a client sent; nothing was written.
public struct TableProblem: Error, Hashable, Sendable {
    /// What is wrong.
    package let reason: Reason
    /// The column that is wrong, if it is one.
    public let column: String?

    /// A problem of one column or of the whole row.
    package init(_ reason: Reason, column: String? = nil) {
        self.reason = reason
        self.column = column
    }

    /// A problem that a program or an operator says in their own words.
    public init(message: String, column: String? = nil) {
        self.init(.stated(message), column: column)
    }

    /// A sentence for the person who wrote the row.
    public var message: String { said.english }
}

extension TableProblem: TextualError {
    /// The sentence, in English and as a text.
    package var said: EnglishText { reason.said }
}

extension TableProblem {
    /// What is wrong with a row, or with the declaration of a table.
    package enum Reason: Hashable, Sendable {
        /// A sentence of an operator, or of another program.
        case stated(String)

        // The row's id.
        case idNotAllowed, invalidID, idNotPositive, idNotText, idNotNumber

        // The row's columns.
        case repeatedColumn(String)
        case reservedColumn(String)
        case readOnlyColumn(String)
        case unknownColumn(String, table: String, nearest: String?)

        // A value.
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

        // The declaration.
        case unusableTableName(String)
        case unusableColumnName(String)
        case tooManyColumns(table: String, most: Int)
        case noMoreColumns(table: String, most: Int)
    }
}

extension TableProblem.Reason {
    /// The sentence, in English and as a text.
    package var said: EnglishText {
        switch self {
        case .stated(let sentence): EnglishText(exactly: sentence)
        case .idNotAllowed: .init("A value cannot be specified for property 'id'", "row.idNotAllowed")
        case .invalidID: .init("the id is too long or has a character that no id may have", "row.invalidID")
        case .idNotPositive: .init("the id must be a whole number above zero", "row.idNotPositive")
        case .idNotText: .init("the id must be a string", "row.idNotText")
        case .idNotNumber: .init("the id must be a number", "row.idNotNumber")

        case .repeatedColumn(let name):
            .init("'\(name)' stands twice, in different case", "row.repeatedColumn", ["name": name])
        case .reservedColumn(let name):
            .init("Cannot update item with property '\(name)' as it is reserved", "row.reservedColumn", ["name": name])
        case .readOnlyColumn(let name): .init("'\(name)' cannot be written", "row.readOnlyColumn", ["name": name])
        case .unknownColumn(let name, let table, nil):
            .init("table '\(table)' has no column '\(name)'", "row.unknownColumn", ["table": table, "name": name])
        case .unknownColumn(let name, let table, let nearest?):
            .init(
                "table '\(table)' has no column '\(name)' (did you mean '\(nearest)'?)",
                "row.unknownColumn.nearest",
                ["table": table, "name": name, "nearest": nearest]
            )

        case .missing(let name): .init("'\(name)' is required", "row.missing", ["name": name])
        case .tooShort(let name, let characters):
            .init(
                "'\(name)' needs at least \(characters) characters",
                "row.tooShort",
                ["name": name, "characters": characters]
            )
        case .tooLong(let name, let characters):
            .init(
                "'\(name)' may have at most \(characters) characters",
                "row.tooLong",
                ["name": name, "characters": characters]
            )
        case .otherForm(let name, let pattern):
            .init("'\(name)' is not of the form \(pattern)", "row.otherForm", ["name": name, "pattern": pattern])
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
                "'\(name)' must be a date of the years 1 to 9999, in UTC, such as 2026-11-21T09:00:00.000Z",
                "row.notADate",
                ["name": name]
            )
        case .listOrObject(let name):
            .init("'\(name)' may not be a list or an object", "row.listOrObject", ["name": name])
        case .tooManyDigits(let name):
            .init("'\(name)' has more digits than can be kept", "row.tooManyDigits", ["name": name])

        case .unusableTableName(let name):
            .init("'\(name)' cannot name a table", "row.unusableTableName", ["name": name])
        case .unusableColumnName(let name):
            .init("'\(name)' cannot name a column here", "row.unusableColumnName", ["name": name])
        case .tooManyColumns(let table, let most):
            .init(
                "table '\(table)' has more than \(most) columns",
                "row.tooManyColumns",
                ["table": table, "most": most]
            )
        case .noMoreColumns(let table, let most):
            .init(
                "table '\(table)' cannot have more than \(most) columns",
                "row.noMoreColumns",
                ["table": table, "most": most]
            )
        }
    }
}
