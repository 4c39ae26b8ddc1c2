import DurableSQLite
import Storage

extension AuthorityStore {
    /// All columns with encrypted values.
    ///
    /// A test compares this list with the schema.
    static let sealedColumns =
        [
            Users.profile, FlowTable.state, Requests.body, Requests.authentication, Sessions.proofs, Codes.body,
            Codes.authentication, Families.secret, Families.authentication, Clients.secret, SigningKeys.secret,
            Outbox.mail, Tickets.body, PushedRequests.body, DeviceCodes.body, DeviceCodes.authentication,
            Departures.body, Budgets.answer, RememberedProofs.proof,
        ] + credentialTables.map { $0.secret }

    /// Decrypts every encrypted value to detect damage.
    ///
    /// - Throws: `corrupt`, naming the column of the first value that cannot be decrypted. No row is set aside.
    func requireSealedValuesToOpen() throws(StoreError) {
        for column in Self.sealedColumns {
            guard let damage = try core.database.firstDamaged(in: column) else { continue }
            throw StoreError(
                .corrupt,
                .damagedValue(core.database.path, column: column.column, row: damage.row, table: column.table)
            )
        }
    }
}
