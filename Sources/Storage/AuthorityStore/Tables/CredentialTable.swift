import DurableSQLite
public import FlowModel
import GRDB
public import Storage

/// A table of the credentials that users enrol; `AuthorityStore.credentialTables` lists them all.
protocol CredentialTable: Sendable {
    /// The sealed column of each row.
    static var secret: SealedColumn { get }

    init(core: Core)

    /// Returns the credentials of a user that count at an owner, the oldest first.
    func list(_ db: Database, of user: UserID, at owner: Owner) throws -> [(credential: Credential, at: Int64)]

    /// Removes a credential of a user that counts at an owner; does nothing for a kind that other tables store.
    func remove(_ db: Database, _ credential: Credential, of user: UserID, at owner: Owner) throws

    /// Deletes every row of a user.
    static func forget(_ db: Database, _ user: UserID) throws
}

extension AuthorityStore {
    /// Returns the enrolled credentials of a user that count at an owner, with the times of their enrolment.
    public func enrolled(
        of user: UserID,
        at owner: Owner
    ) async throws(StoreError) -> [(credential: Credential, at: Int64)] {
        try await core.database.find { [core] db in
            try Self.credentialTables.flatMap { try $0.init(core: core).list(db, of: user, at: owner) }
        }
    }
}
