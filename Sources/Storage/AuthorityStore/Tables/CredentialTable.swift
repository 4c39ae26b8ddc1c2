import DurableSQLite
public import FlowModel
import GRDB
public import Storage

/// A table of credentials that users enrol, listed in `AuthorityStore.credentialTables`.
protocol CredentialTable: Sendable {
    static var secret: SealedColumn { get }

    init(core: Core)

    /// Returns a user's credentials that are accepted for an owner, oldest first.
    func list(_ db: Database, of user: UserID, at owner: Owner) throws -> [(credential: Credential, at: Int64)]

    /// Removes the given credential of a user for an owner, if this table stores credentials of this kind.
    func remove(_ db: Database, _ credential: Credential, of user: UserID, at owner: Owner) throws

    static func forget(_ db: Database, _ user: UserID) throws
}

extension AuthorityStore {
    /// Returns a user's enrolled credentials that are accepted for an owner, with their enrolment times.
    public func enrolled(
        of user: UserID,
        at owner: Owner
    ) async throws(StoreError) -> [(credential: Credential, at: Int64)] {
        try await core.database.find { [core] db in
            try Self.credentialTables.flatMap { try $0.init(core: core).list(db, of: user, at: owner) }
        }
    }
}
