import DurableSQLite
import FlowModel
import GRDB
import Moments

enum OwnerSelection {
    /// Returns the SQL condition for an owner's rows, limited to one user if `user` is given.
    ///
    /// The two cases have separate conditions, so SQLite can use an index for each.
    static func condition(_ user: UserID?) -> String {
        "owner = :owner" + (user == nil ? "" : " AND user_id = :user")
    }

    static func arguments(_ owner: Owner, _ user: UserID?) -> StatementArguments {
        var arguments: StatementArguments = ["owner": owner.key]
        if let user { arguments += ["user": user.oid] }
        return arguments
    }
}

/// The records of sign-outs, used to cancel flows that identify their user after the sign-out.
///
/// A flow that starts with a typed name does not know its user until the password is verified. Sign-outs of users are
/// therefore numbered, and each flow stores the last number before it was written. A sign-out with a higher number
/// happened later. A sign-out of all users closes all flows.
///
/// Every method that ends a user's flows must also record a sign-out, as ``AuthorityStore/FlowTable/close(_:user:at:)``
/// does. Removing a PIN or an authenticator ends neither sessions nor flows, because earlier answers remain valid.
enum SignOuts {
    /// How long a sign-out is stored, which is longer than any flow can be open.
    static let rememberedFor = Duration.seconds(24 * 3600)

    static func last(_ db: Database) throws -> Int64 {
        try db.number("SELECT value FROM sign_out_count WHERE id = 1")
    }

    static func mark(_ db: Database, owner: Owner, user: UserID, at now: Moment) throws {
        try db.run("UPDATE sign_out_count SET value = value + 1 WHERE id = 1")
        try db.run(
            """
            INSERT INTO sign_outs (owner, user_id, number, at)
            VALUES (:owner, :user, :number, :at)
            ON CONFLICT (owner, user_id) DO UPDATE SET number = excluded.number, at = excluded.at
            """,
            OwnerSelection.arguments(owner, user) + ["number": try last(db), "at": now.wall]
        )
    }

    /// Records a sign-out of a user for every owner with an open flow.
    static func mark(_ db: Database, user: UserID, at now: Moment) throws {
        try db.run("UPDATE sign_out_count SET value = value + 1 WHERE id = 1")
        try db.run(
            """
            INSERT INTO sign_outs (owner, user_id, number, at)
            SELECT owner, :user, :number, :at FROM flows WHERE is_open = 1
            ON CONFLICT (owner, user_id) DO UPDATE SET number = excluded.number, at = excluded.at
            """,
            ["user": user.oid, "number": try last(db), "at": now.wall]
        )
    }

    /// Whether the user was signed out after the flow was last written.
    ///
    /// Only sign-outs for the owner `place` count, which can be different from the flow's owner `owner`.
    static func overtook(_ db: Database, flow: String, of owner: Owner, at place: Owner, user: UserID) throws -> Bool {
        try db.row(
            """
            SELECT 1 FROM flows JOIN sign_outs ON sign_outs.owner = :place
            WHERE flows.id = :flow AND flows.owner = :owner AND flows.is_open = 1
                AND sign_outs.user_id = :user AND sign_outs.number > flows.sign_outs
            """,
            OwnerSelection.arguments(owner, user) + ["flow": flow, "place": place.key]
        ) != nil
    }

    static func sweep(_ db: Database, at now: Moment, limit: Int) throws -> Int {
        try db.sweep("sign_outs", by: "rowid", "at", upTo: now.wall - rememberedFor.milliseconds, limit: limit)
    }
}
