import Spelling
import Tables
import TablesClient

extension TableDeclaration {
    /// Returns the values of the table's columns, with date strings converted to dates.
    ///
    /// Other columns are left out.
    func known(_ values: [String: TableValue]) -> [String: TableValue] {
        var known: [String: TableValue] = [:]
        for (name, value) in values {
            guard let column = column(name) else { continue }
            known[column.name] = column.local(value)
        }
        return known
    }

    /// Returns the row with only the table's columns.
    func known(_ row: RemoteRow) -> RemoteRow {
        var row = row
        row.values = known(row.values)
        return row
    }

    /// Checks the values that a program set, and returns them under the declared column names.
    ///
    /// - Throws: ``SyncError/Code/invalidItem`` for an unknown column, or a value that does not have its column's type.
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

    /// The default values, by column.
    var defaults: [String: TableValue] {
        var defaults: [String: TableValue] = [:]
        for column in columns { defaults[column.name] = column.defaultValue }
        return defaults
    }
}

/// The columns of a table, in a form that is fast for many rows.
///
/// Most stored rows contain no other columns.
struct KnownColumns: Sendable {
    private let declaration: TableDeclaration
    private let names: Set<String>
    private let dates: [TableColumn]

    init(_ declaration: TableDeclaration) {
        self.declaration = declaration
        names = Set(declaration.columns.map(\.name))
        dates = declaration.columns.filter { $0.type == .date }
    }

    /// Returns the row with only the table's columns.
    ///
    /// The values are changed in place if they are not shared.
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
    /// Whether the value has the column's type or is null.
    fileprivate func holds(_ value: TableValue) -> Bool {
        switch (type, value) {
        case (_, .null), (.string, .string), (.number, .number), (.boolean, .boolean), (.date, .date): true
        default: false
        }
    }

    /// Returns the value as local rows store it: dates are strings.
    fileprivate func local(_ value: TableValue) -> TableValue {
        guard type == .date, case .string(let text) = value, let time = TableDate.milliseconds(text) else {
            return value
        }
        return .date(time)
    }
}
