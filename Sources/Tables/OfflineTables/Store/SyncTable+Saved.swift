public import Tables
public import TablesClient

extension SyncTable {
    /// The columns that a saved edit sets in a row that is stored, with their new values; none for a deletion.
    ///
    /// - Returns: Nil if the edit would overwrite a change of another device. An update whose base is not known fits only over
    ///   the version that it was made from.
    public func changes(of edit: SavedEdit, over row: RemoteRow) -> [String: TableValue]? {
        let values = declaration.known(row.values)
        let item = edit.item.map { declaration.known($0.values) }
        let base: [String: TableValue]
        switch edit.kind {
        case .delete:
            guard let deleted = edit.base.map(declaration.known) ?? item else { return [:] }
            return values.isSame(as: deleted) ? [:] : nil
        case .insert: base = [:]
        case .update:
            guard let known = edit.base.map(declaration.known) else {
                return edit.item?.version == row.version ? item : nil
            }
            base = known
        }
        let own = OwnEdit(item ?? [:], over: base)
        return own.fits(values, base: base) ? own.columns : nil
    }
}
