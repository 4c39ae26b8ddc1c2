import DurableSQLite
import Storage

extension AuthorityStore {
    /// Every column whose values are sealed; a test compares them with the schema.
    static let sealedColumns =
        [
            Users.profile, FlowTable.state, Requests.body, Requests.authentication, Sessions.proofs, Codes.body,
            Codes.authentication, Families.secret, Families.authentication, Clients.secret, SigningKeys.secret,
            Outbox.mail, Tickets.body, PushedRequests.body, DeviceCodes.body, DeviceCodes.authentication,
            Departures.body, Budgets.answer, RememberedProofs.proof,
        ] + credentialTables.map { $0.secret }

    /// Opens every sealed value, so that a damaged one is found before it is needed.
    ///
    /// - Throws: `corrupt`, naming the column, for the first that does not open; no row is set aside.
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
