import DurableSQLite
public import FlowModel
import GRDB
public import Storage

/// A table of credentials that users enrol.
///
/// `AuthorityStore.credentialTables` lists all such tables.
protocol CredentialTable: Sendable {
    /// The encrypted column of the table.
    static var secret: SealedColumn { get }

    init(core: Core)

    /// Returns the credentials of a user that are accepted at an owner, oldest first.
    func list(_ db: Database, of user: UserID, at owner: Owner) throws -> [(credential: Credential, at: Int64)]

    /// Removes a credential of a user that is accepted at an owner.
    ///
    /// Does nothing if another table stores this kind of credential.
    func remove(_ db: Database, _ credential: Credential, of user: UserID, at owner: Owner) throws

    /// Deletes every row of a user.
    static func forget(_ db: Database, _ user: UserID) throws
}

extension AuthorityStore {
    /// Returns the enrolled credentials of a user that are accepted at an owner, with their enrolment times.
    public func enrolled(
        of user: UserID,
        at owner: Owner
    ) async throws(StoreError) -> [(credential: Credential, at: Int64)] {
        try await core.database.find { [core] db in
            try Self.credentialTables.flatMap { try $0.init(core: core).list(db, of: user, at: owner) }
        }
    }
}
