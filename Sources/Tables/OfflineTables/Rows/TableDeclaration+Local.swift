import Spelling
import Tables
import TablesClient

extension TableDeclaration {
    /// Returns the values that belong to columns of the table, with date strings converted to dates.
    func known(_ values: [String: TableValue]) -> [String: TableValue] {
        var known: [String: TableValue] = [:]
        for (name, value) in values {
            guard let column = column(name) else { continue }
            known[column.name] = column.local(value)
        }
        return known
    }

    func known(_ row: RemoteRow) -> RemoteRow {
        var row = row
        row.values = known(row.values)
        return row
    }

    /// Checks values from the calling program, converts date strings, and returns values by declared column name.
    ///
    /// - Throws: ``SyncError/Code/invalidItem`` for an invalid value.
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

    var defaults: [String: TableValue] {
        var defaults: [String: TableValue] = [:]
        for column in columns { defaults[column.name] = column.defaultValue }
        return defaults
    }
}

/// The columns of a table, prepared for processing many rows.
struct KnownColumns: Sendable {
    private let declaration: TableDeclaration
    private let names: Set<String>
    private let dates: [TableColumn]

    init(_ declaration: TableDeclaration) {
        self.declaration = declaration
        names = Set(declaration.columns.map(\.name))
        dates = declaration.columns.filter { $0.type == .date }
    }

    /// Returns the row with only the table's columns, and with date strings converted to dates.
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
    fileprivate func holds(_ value: TableValue) -> Bool {
        switch (type, value) {
        case (_, .null), (.string, .string), (.number, .number), (.boolean, .boolean), (.date, .date): true
        default: false
        }
    }

    fileprivate func local(_ value: TableValue) -> TableValue {
        guard type == .date, case .string(let text) = value, let time = TableDate.milliseconds(text) else {
            return value
        }
        return .date(time)
    }
}
