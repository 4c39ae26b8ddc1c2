import Spelling
import Tables
import TablesClient

extension TableDeclaration {
    /// The values of the columns that this table has, dates as dates; all others are left out.
    func known(_ values: [String: TableValue]) -> [String: TableValue] {
        var known: [String: TableValue] = [:]
        for (name, value) in values {
            guard let column = column(name) else { continue }
            known[column.name] = column.local(value)
        }
        return known
    }

    /// The same row with the columns that this table has.
    func known(_ row: RemoteRow) -> RemoteRow {
        var row = row
        row.values = known(row.values)
        return row
    }

    /// The values that a program wrote, by the declared names.
    ///
    /// - Throws: ``SyncError/Code/invalidItem`` for a column that the table does not have, and a value that is none of
    ///   its column's type.
    func written(_ values: [String: TableValue]) throws(SyncError) -> [String: TableValue] {
        var written: [String: TableValue] = [:]
        for (name, value) in values {
            guard let column = column(name) else {
                let nearest = NearestName.of(name, among: columns.map(\.name))
                throw SyncError(.invalidItem, .row(.unknownColumn(name, table: self.name, nearest: nearest)))
            }
            let local = column.local(value)
            guard column.holds(local) else {
                throw SyncError(.invalidItem, .row(.wrongType(column.name, column.type)))
            }
            written[column.name] = local
        }
        return written
    }

    /// The defaults of the columns that have one.
    var defaults: [String: TableValue] {
        var defaults: [String: TableValue] = [:]
        for column in columns { defaults[column.name] = column.defaultValue }
        return defaults
    }
}

/// The columns of a table, for many rows; nearly all that a store holds have no others.
struct KnownColumns: Sendable {
    private let declaration: TableDeclaration
    private let names: Set<String>
    private let dates: [TableColumn]

    init(_ declaration: TableDeclaration) {
        self.declaration = declaration
        names = Set(declaration.columns.map(\.name))
        dates = declaration.columns.filter { $0.type == .date }
    }

    /// The same row with the columns that the table has; values that nobody else holds are changed in their place.
    func row(_ row: consuming RemoteRow) -> RemoteRow {
        guard row.values.keys.allSatisfy(names.contains) else { return declaration.known(row) }
        for column in dates {
            guard let value = row.values[column.name], case let local = column.local(value), local != value else {
                continue
            }
            row.values[column.name] = local
        }
        return row
    }
}

extension TableColumn {
    /// True if the value is of the column's type, or none.
    fileprivate func holds(_ value: TableValue) -> Bool {
        switch (type, value) {
        case (_, .null), (.string, .string), (.number, .number), (.boolean, .boolean), (.date, .date): true
        default: false
        }
    }

    /// The value as a local row has it: dates stand as texts in answers and in stores.
    fileprivate func local(_ value: TableValue) -> TableValue {
        guard type == .date, case .string(let text) = value, let time = TableDate.milliseconds(text) else {
            return value
        }
        return .date(time)
    }
}
