import Tables
import TablesStore

/// The rules for requests of Datasync clients (version 3 of the protocol), which send whole rows.
extension TableRequest {
    /// Whether a request for one row also applies to a deleted row, which a Datasync client then reads or replaces.
    var includesDeleted: Bool {
        dialect == .v3 && options["__includedeleted"].map(Query.includesDeleted) == true
    }

    /// Returns the members of a row without those that a Datasync client repeats as the server sent them.
    ///
    /// These are the system columns, and columns that only the server sets if the value is null or that of `stored`.
    /// `"deleted": true` is not among them, so it is rejected.
    func unechoed(_ members: [String: TableValue], stored: TableRow? = nil) -> [String: TableValue] {
        guard dialect == .v3 else { return members }
        return members.filter { name, value in
            switch name.lowercased() {
            case "createdat", "updatedat", "version": return false
            case "deleted": return value != .boolean(false) && value != .null
            default:
                guard let column = definition.column(name), column.isSetByServer else { return true }
                guard value != .null else { return false }
                guard let old = stored?.values[column.name], let new = try? column.checked(value) else { return true }
                return new != old
            }
        }
    }

    /// Whether the members of an update restore a deleted row, as a Datasync client requests it.
    func restores(_ members: [String: TableValue]) -> Bool {
        guard dialect == .v3, members.count == 1, let (name, value) = members.first else { return false }
        return name.lowercased() == "deleted" && value == .boolean(false)
    }

    /// Runs a write, whose response for a deleted row in version 3 is 410 without the row, even for an old version.
    ///
    /// - Throws: The error of `write`, or `deleted` without a row if the write does not restore rows.
    func standing(restoring: Bool = false, _ write: () async throws -> TableRow) async throws -> TableRow {
        do {
            return try await write()
        } catch let error as TablesStoreError where dialect == .v3 && !restoring && error.row?.isDeleted == true {
            throw TablesStoreError(.deleted)
        }
    }
}
