import DurableSQLite
import FlowModel
import GRDB
import Moments
public import Storage

extension AuthorityStore.Audit {
    /// The maximum number of stored events per owner, beyond which the owner's oldest events are deleted.
    public static let greatestNumberOfOwner: Int64 = 100_000
    /// The maximum number of stored events in total, beyond which the oldest events are deleted.
    public static let greatestNumber: Int64 = 10_000_000

    /// Deletes at most `limit` of the oldest events, if they are older than `before` or exceed the maximum numbers.
    ///
    /// Deletion by age stops at the first event that is not older than `before`, in milliseconds since 1970 UTC. The
    /// newest event stays, so numbering continues. Deletions are counted in the same transaction, so every event number
    /// is either stored or counted as deleted.
    @discardableResult
    public func sweep(
        before: Int64,
        keeping ofOwner: Int64 = greatestNumberOfOwner,
        all: Int64 = greatestNumber,
        limit: Int
    ) async throws(StoreError) -> Int {
        try await core.database.write { db, now in
            try AuditBudget.settle(db, at: now, limit: limit)
            let newest = try db.number("SELECT max(seq) FROM audit")
            let begun = try Self.forgetBeginning(db, newest: newest, before: before, all: all, limit: limit)
            guard begun < limit else { return begun }
            return try begun + Self.forgetExcess(db, newest: newest, keeping: ofOwner, limit: limit - begun)
        }
    }

    /// Returns the number of events neither stored nor counted as deleted, which is 0 for a complete audit log.
    ///
    /// This method reads all events. Use it for occasional inspections only.
    public func missing() async throws(StoreError) -> Int64 {
        try await core.database.read { db in
            let forgotten = try db.number("SELECT sum(forgotten) FROM audit_owners")
            return try db.number("SELECT coalesce(max(seq), 0) - count(*) FROM audit") - forgotten
        }
    }

    private static func forgetBeginning(
        _ db: Database,
        newest: Int64,
        before: Int64,
        all: Int64,
        limit: Int
    ) throws -> Int {
        let kept = try db.number("SELECT sum(kept) FROM (SELECT kept FROM audit_owners WHERE kept > 0)")
        let tooMany = Int(max(0, kept - all))
        let oldest = try db.rows(
            "SELECT seq, at, owner FROM audit WHERE seq < :newest ORDER BY seq LIMIT :limit",
            ["newest": newest, "limit": limit]
        )
        // Later events stay, even if their times are earlier because the clock was set back.
        let gone = try oldest.enumerated().prefix { try $0.offset < tooMany || $0.element.get("at") < before }
        guard let last: Int64 = try gone.last?.element.get("seq") else { return 0 }
        let number = try db.run("DELETE FROM audit WHERE seq <= :last", ["last": last])
        let owners = try Dictionary(grouping: gone.map(\.element)) { try AuditOwners.of($0) }
        for (owner, rows) in owners { try AuditOwners.forgot(db, owner, rows.count) }
        return number
    }

    private static func forgetExcess(_ db: Database, newest: Int64, keeping: Int64, limit: Int) throws -> Int {
        let owners = try db.rows(
            "SELECT owner, kept FROM audit_owners WHERE kept > :kept ORDER BY kept LIMIT :limit",
            ["kept": keeping, "limit": limit + 1]
        )
        var number = 0
        for owner in owners where number < limit {
            let (key, kept): (String, Int64) = try (owner.get("owner"), owner.get("kept"))
            // Events without an owner need no limit, because the authority itself causes them and they are few.
            guard key != AuditOwners.nobody else { continue }
            let last = try db.rows(
                """
                SELECT seq FROM audit WHERE owner = :owner AND seq < :newest
                ORDER BY seq LIMIT :limit
                """,
                [
                    "owner": key, "newest": newest, "limit": min(Int(kept - keeping), limit - number),
                ]
            ).last
            guard let last: Int64 = try last?.get("seq") else { continue }
            let gone = try db.run(
                "DELETE FROM audit WHERE owner = :owner AND seq <= :last",
                ["owner": key, "last": last]
            )
            try AuditOwners.forgot(db, key, gone)
            number += gone
        }
        return number
    }
}

/// The numbers of stored and deleted events, by owner.
///
/// Events without an owner are counted under the empty name, as are deleted events whose owner has no stored events.
enum AuditOwners {
    static let nobody = ""

    static func of(_ row: Row) throws -> String { try row.optional("owner") ?? nobody }

    static func added(_ db: Database, _ owner: Owner?) throws {
        try db.run(
            """
            INSERT INTO audit_owners (owner, kept, forgotten) VALUES (:owner, 1, 0)
            ON CONFLICT (owner) DO UPDATE SET kept = audit_owners.kept + 1
            """,
            ["owner": owner?.key ?? nobody]
        )
    }

    static func forgot(_ db: Database, _ owner: String, _ number: Int) throws {
        let left = try db.row(
            """
            UPDATE audit_owners SET kept = kept - :number, forgotten = forgotten + :number
            WHERE owner = :owner RETURNING kept, forgotten
            """,
            ["owner": owner, "number": number]
        )
        guard owner != nobody, let left, try left.get("kept") == 0 else { return }
        let forgotten: Int64 = try left.get("forgotten")
        try db.run("DELETE FROM audit_owners WHERE owner = :owner", ["owner": owner])
        try db.run(
            """
            INSERT INTO audit_owners (owner, kept, forgotten) VALUES (:owner, 0, :forgotten)
            ON CONFLICT (owner) DO UPDATE SET forgotten = audit_owners.forgotten + excluded.forgotten
            """,
            ["owner": nobody, "forgotten": forgotten]
        )
    }
}
