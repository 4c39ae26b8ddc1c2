import Tables

/// The columns that a local edit changes, with the new values.
struct OwnEdit: Hashable {
    let columns: [String: TableValue]

    /// Creates an edit of the columns in which `values` differ from `base`, or of all columns if `base` is `nil`.
    init(_ values: [String: TableValue], over base: [String: TableValue]?) {
        guard let base else {
            columns = values
            return
        }
        columns = values.filter { base[$0.key] ?? .null != $0.value }
    }

    func made(over values: [String: TableValue]) -> [String: TableValue] {
        values.merging(columns) { _, new in new }
    }

    /// Returns whether each edited column of the server's row has its value from before the edit or the new value.
    func fits(_ values: [String: TableValue], base: [String: TableValue]) -> Bool {
        columns.allSatisfy { column, new in
            let value = values[column] ?? .null
            return value == base[column] ?? .null || value == new
        }
    }
}

extension [String: TableValue] {
    /// Returns whether two rows have the same values, treating a missing column as null.
    func isSame(as other: [String: TableValue]) -> Bool {
        Set(keys).union(other.keys).allSatisfy { self[$0] ?? .null == other[$0] ?? .null }
    }
}
