import DurableSQLite
import FlowModel
import GRDB
import Moments

/// A choice among an owner's rows: everybody's, or one person's.
enum Whose {
    /// The condition on `owner` and, for one person, `user_id`: a text for each, so that an index serves both.
    static func condition(_ user: UserID?) -> String {
        "owner = :owner" + (user == nil ? "" : " AND user_id = :user")
    }

    static func arguments(_ owner: Owner, _ user: UserID?) -> StatementArguments {
        var arguments: StatementArguments = ["owner": owner.key]
        if let user { arguments += ["user": user.oid] }
        return arguments
    }
}

/// Tells flows that find out who somebody is whether that person was signed out meanwhile.
///
/// A flow by a typed name does not know its person until the password was found right, so a sign-out of that person
/// cannot close it. Each sign-out of one person gets the next number instead, and each flow keeps the last number that
/// was given when it was written: a sign-out with a greater one came after. A sign-out of all closes all.
enum SignOuts {
    /// For how long a sign-out is remembered: longer than a flow can run.
    static let rememberedFor = Duration.seconds(24 * 3600)

    /// The last number that was given.
    static func last(_ db: Database) throws -> Int64 {
        try db.number("SELECT value FROM sign_out_count WHERE id = 1")
    }

    /// Remembers a sign-out.
    static func mark(_ db: Database, owner: Owner, user: UserID, at now: Moment) throws {
        try db.run("UPDATE sign_out_count SET value = value + 1 WHERE id = 1")
        try db.run(
            """
            INSERT INTO sign_outs (owner, user_id, number, at)
            VALUES (:owner, :user, :number, :at)
            ON CONFLICT (owner, user_id) DO UPDATE SET number = excluded.number, at = excluded.at
            """,
            Whose.arguments(owner, user) + ["number": try last(db), "at": now.wall]
        )
    }

    /// Whether the person was signed out at the owner after the flow was written last.
    static func overtook(_ db: Database, flow: String, owner: Owner, user: UserID) throws -> Bool {
        try db.row(
            """
            SELECT 1 FROM flows JOIN sign_outs ON sign_outs.owner = flows.owner
            WHERE flows.id = :flow AND flows.owner = :owner AND flows.is_open = 1
                AND sign_outs.user_id = :user AND sign_outs.number > flows.sign_outs
            """,
            Whose.arguments(owner, user) + ["flow": flow]
        ) != nil
    }

    /// Forgets sign-outs that no open flow can have met.
    static func sweep(_ db: Database, at now: Moment, limit: Int) throws -> Int {
        try db.run(
            "DELETE FROM sign_outs WHERE rowid IN (SELECT rowid FROM sign_outs WHERE at <= :before LIMIT :limit)",
            ["before": now.wall - rememberedFor.milliseconds, "limit": limit]
        )
    }
}
