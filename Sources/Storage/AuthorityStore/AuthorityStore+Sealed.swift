import DurableSQLite
import Storage

extension AuthorityStore {
    /// The encrypted columns, which a test compares with the schema.
    static let sealedColumns =
        [
            Users.profile, FlowTable.state, Requests.body, Requests.authentication, Sessions.proofs, Codes.body,
            Codes.authentication, Families.secret, Families.authentication, Clients.secret, SigningKeys.secret,
            Outbox.mail, Tickets.body, PushedRequests.body, DeviceCodes.body, DeviceCodes.authentication,
            Departures.body, Budgets.answer, RememberedProofs.proof,
        ] + credentialTables.map { $0.secret }

    /// Throws `corrupt` if an encrypted value cannot be decrypted, without setting aside the value's row.
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
