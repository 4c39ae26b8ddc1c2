import DurableSQLite
public import FlowModel
import GRDB
import Moments
public import OAuth
public import Storage

extension AuthorityStore.Users {
    /// Changes a user's password, and ends everything that depends on the old one.
    ///
    /// This includes families, open flows, unredeemed grants, remembered authentications and devices, flows that have
    /// verified the old password, and all sessions except those of `owner`.
    ///
    /// - Throws: `notFound` if the user does not exist, `disabled` if the user is disabled, or `conflict` if `old` is
    ///   no longer the hash of the password. In these cases, nothing has changed.
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

    /// Changes a user's password, and ends everything that depends on the old one.
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

    /// Makes a user set a new password at the next sign-in, and ends everything that depends on the current one.
    ///
    /// - Throws: `notFound` if the user does not exist, or `consumed` if the user has no password.
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

    /// Changes a user's attributes, and removes those whose new value is null.
    ///
    /// Any change invalidates earlier refresh tokens, because they were issued with the old attributes.
    ///
    /// - Throws: `notFound` if the user does not exist, or `disabled` if the user is disabled.
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
