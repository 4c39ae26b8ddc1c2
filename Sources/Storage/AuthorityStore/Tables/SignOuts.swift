import DurableSQLite
import FlowModel
import GRDB
import Moments

/// A selection among an owner's rows: all, or one person's.
enum OwnerSelection {
    /// The condition on `owner` and, for one person, `user_id`: two texts, so that an index serves both.
    static func condition(_ user: UserID?) -> String {
        "owner = :owner" + (user == nil ? "" : " AND user_id = :user")
    }

    static func arguments(_ owner: Owner, _ user: UserID?) -> StatementArguments {
        var arguments: StatementArguments = ["owner": owner.key]
        if let user { arguments += ["user": user.oid] }
        return arguments
    }
}

/// Records of sign-outs, for flows that are still identifying their person.
///
/// A flow that begins with a typed name does not know its person until the password is verified, so a sign-out of that
/// person cannot close it. Each sign-out of one person gets the next number instead, and each flow keeps the last
/// number given when it was written: a sign-out with a greater number came later. A sign-out of all people closes all.
///
/// Whatever ends a person's flows marks a sign-out: ``AuthorityStore/FlowTable/close(_:user:at:)`` does both. The removal
/// of a PIN or an authenticator ends neither sessions nor flows: an answer that was given before counts as given.
enum SignOuts {
    /// The time for which a sign-out is remembered: longer than a flow can run.
    static let rememberedFor = Duration.seconds(24 * 3600)

    /// The number of the last sign-out.
    static func last(_ db: Database) throws -> Int64 {
        try db.number("SELECT value FROM sign_out_count WHERE id = 1")
    }

    /// Records a sign-out.
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

    /// Records a sign-out at every owner that has a flow open: what such a flow verified of the person until now is old.
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

    /// True if the person was signed out at a place after the flow was last written: at the flow's owner, or another one.
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

    /// Deletes sign-outs that no open flow can have met.
    static func sweep(_ db: Database, at now: Moment, limit: Int) throws -> Int {
        try db.sweep("sign_outs", by: "rowid", "at", upTo: now.wall - rememberedFor.milliseconds, limit: limit)
    }
}
