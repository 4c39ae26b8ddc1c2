import DurableSQLite
public import FlowModel
import GRDB
import Moments
public import OAuth
public import Storage

extension AuthorityStore.Users {
    /// Gives a person another password, and ends everything that was had by the old one: families, open flows, what was
    /// granted and is not fetched yet, every session but those of one owner, that the person is remembered and that devices are
    /// known.
    ///
    /// A flow in which the old password was verified and no session is made yet ends, too.
    ///
    /// - Parameters:
    ///   - user: The person.
    ///   - old: The hash of the old password.
    ///   - new: The hash of the new one.
    ///   - owner: The owner whose sessions go on.
    ///   - settled: Charges that the right old password gives back.
    ///   - events: The events to record.
    /// - Throws: `notFound`, `disabled`; `conflict` if the password has changed meanwhile. Nothing has changed then.
    public func changePassword(
        of user: UserID,
        from old: Secret,
        to new: Secret,
        keeping owner: Owner,
        settled: [ChargeKey],
        events: [AuditEvent]
    ) async throws(StoreError) {
        try await core.database.write { db, now in
            try Self.requireEnabled(db, user)
            guard let record = try find(db, user), record.passwordHash == old else {
                throw StoreError(.conflict, "the password has changed meanwhile")
            }
            try set(db, new, of: record, at: now)
            try db.run(
                "DELETE FROM sessions WHERE user_id = :user AND owner <> :owner",
                ["user": user.oid, "owner": owner.key]
            )
            try forgetGrants(db, user, reason: "password_changed", at: now)
            try AuthorityStore.RememberedProofs.forget(db, user)
            try AuthorityStore.Devices.forget(db, user)
            try AuthorityStore.Budgets.settle(db, settled)
            try AuthorityStore.Audit.append(db, events, at: now)
        }
    }

    /// Gives a person another password, and ends everything that was had by the old one.
    func replacePassword(_ db: Database, of user: UserID, by new: Secret, at now: Moment) throws {
        guard let record = try find(db, user) else { throw StoreError(.notFound, "there is no such user") }
        try set(db, new, of: record, at: now)
        try forget(db, user, reason: "password_changed", at: now)
        try AuthorityStore.Devices.forget(db, user)
    }

    private func set(_ db: Database, _ password: Secret, of user: UserRecord, at now: Moment) throws {
        var user = user
        (user.passwordHash, user.passwordSetAt, user.mustChangePassword) = (password, now.wall, false)
        try keep(db, user)
    }

    /// Asks a person for another password at the next sign-in, and ends everything that was had by the old one.
    ///
    /// - Parameters:
    ///   - user: The person.
    ///   - events: The events to record.
    /// - Throws: `notFound`; `consumed` if the person has no password.
    public func requireNewPassword(of user: UserID, events: [AuditEvent]) async throws(StoreError) {
        try await core.database.write { db, now in
            guard var record = try find(db, user) else { throw StoreError(.notFound, "there is no such user") }
            guard record.passwordHash != nil else { throw StoreError(.consumed, "the user has no password") }
            record.mustChangePassword = true
            try keep(db, record)
            try forget(db, user, reason: "password_expired", at: now)
            try AuthorityStore.Audit.append(db, events, at: now)
        }
    }

    /// Changes attributes of a person; refresh tokens from before are dead then, since what they give says otherwise.
    ///
    /// - Parameters:
    ///   - user: The person.
    ///   - attributes: The values by name; null removes one.
    ///   - events: The events to record.
    /// - Throws: `notFound`, `disabled`.
    public func edit(
        _ user: UserID,
        _ attributes: [String: JSONValue],
        events: [AuditEvent]
    ) async throws(StoreError) {
        try await core.database.write { db, now in
            try Self.requireEnabled(db, user)
            try edit(db, user, attributes, at: now)
            try AuthorityStore.Audit.append(db, events, at: now)
        }
    }

    func edit(_ db: Database, _ user: UserID, _ attributes: [String: JSONValue], at now: Moment) throws {
        guard var record = try find(db, user) else { throw StoreError(.notFound, "there is no such user") }
        let edited = record.attributes.merging(attributes) { $1 }.filter { $0.value != .null }
        guard edited != record.attributes else { return }
        record.attributes = edited
        try keep(db, record)
        try AuthorityStore.Families.revoke(db, user: user, reason: "profile_changed", at: now)
    }
}
