import DurableSQLite
import Foundation
import GRDB
public import OAuth
public import Storage

extension AuthorityStore.Budgets {
    /// The column for the keyed hash of the last wrong answer that was charged to a budget with blocks.
    static let answer = SealedColumn("attempts", "answer")

    /// Stores the keyed hash of a wrong answer or, if it repeats the last wrong answer, refunds its charges.
    ///
    /// Returns `true` for a refund. `own` is the budget that can start a block, after `max` charges. If this method
    /// throws, the charges remain.
    @discardableResult
    public func note(
        wrong answer: Secret,
        in own: BudgetKey,
        max: Int,
        charged: [ChargeKey]
    ) async throws(StoreError) -> Bool {
        try await core.database.write { db in
            guard let row = try db.row("SELECT answer FROM attempts WHERE id = :id", ["id": own.text]) else {
                return false
            }
            let sealed: Data? = try row.optional("answer")
            // A value that can no longer be decrypted is treated as missing and is replaced.
            let last = sealed.flatMap { try? core.sealing.open($0, Self.answer, row: own.text) }
            if let last, Secret(bytes: last) == answer {
                try Self.giveBack(db, charged, own, max: max)
                return true
            }
            let sealedAnswer = try core.sealing.seal(answer.revealBytes(), Self.answer, row: own.text)
            try db.run("UPDATE attempts SET answer = :answer WHERE id = :id", ["answer": sealedAnswer, "id": own.text])
            return false
        }
    }

    /// Refunds the charges for an answer that could not be evaluated, and ends a block that they started.
    ///
    /// `own` is the budget that can start a block, after `max` charges. If this method throws, the charges remain.
    public func giveBack(_ charged: [ChargeKey], own: BudgetKey, max: Int) async throws(StoreError) {
        try await core.database.write { db in try Self.giveBack(db, charged, own, max: max) }
    }

    private static func giveBack(_ db: Database, _ charged: [ChargeKey], _ own: BudgetKey, max: Int) throws {
        // Settling charges without a period would also end blocks that these charges did not start.
        try settle(db, charged.filter { $0.period != nil })
        try db.run(
            """
            UPDATE attempts SET used = used - 1,
                level = CASE WHEN used >= :max AND level > 0 THEN level - 1 ELSE level END,
                ends_wall = CASE WHEN used >= :max THEN 0 ELSE ends_wall END,
                ends_boot = CASE WHEN used >= :max THEN 0 ELSE ends_boot END,
                ends_boot_id = CASE WHEN used >= :max THEN '' ELSE ends_boot_id END
            WHERE id = :id AND used > 0
            """,
            ["id": own.text, "max": max]
        )
    }
}
