import Tables

/// The columns that an edit changes, with their new values.
struct OwnEdit: Hashable {
    let columns: [String: TableValue]

    /// The columns in which `values` differ from `base`, the values that the edit was made over; all of them if that is nil.
    init(_ values: [String: TableValue], over base: [String: TableValue]?) {
        guard let base else {
            columns = values
            return
        }
        columns = values.filter { base[$0.key] ?? .null != $0.value }
    }

    /// These values with the edit made over them.
    func made(over values: [String: TableValue]) -> [String: TableValue] {
        values.merging(columns) { _, new in new }
    }

    /// Whether the row of a server can lie under the edit, and no change of another device is lost: no column that the edit
    /// changes has there another value than the edit was made over, or the edit itself brings.
    func fits(_ values: [String: TableValue], base: [String: TableValue]) -> Bool {
        columns.allSatisfy { column, new in
            let value = values[column] ?? .null
            return value == base[column] ?? .null || value == new
        }
    }
}

extension [String: TableValue] {
    /// Whether both have the same values; a column that is missing is null.
    func isSame(as other: [String: TableValue]) -> Bool {
        Set(keys).union(other.keys).allSatisfy { self[$0] ?? .null == other[$0] ?? .null }
    }
}
