import DurableSQLite
import Foundation
import GRDB
public import OAuth
public import Storage

extension AuthorityStore.Budgets {
    /// The keyed hash of the last wrong answer that was charged to a block's budget.
    static let answer = SealedColumn("attempts", "answer")

    /// Keeps a wrong answer as the last one of a budget; the one that is kept already gives its charges back instead.
    ///
    /// - Parameters:
    ///   - answer: The keyed hash of the answer.
    ///   - own: The budget, whose charges a block follows.
    ///   - max: The charges that the block follows.
    ///   - charged: The charges of the answer.
    /// - Returns: True if it was the last wrong answer again.
    /// - Throws: The error that kept the store from writing; the charges stand then.
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
            // One that does not open any more is as none: the next takes its place.
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

    /// Takes charges back as if they had not been made, since the answer could not be judged; a block that they have begun ends.
    ///
    /// - Parameters:
    ///   - charged: The charges.
    ///   - own: The budget among theirs that a block follows.
    ///   - max: The charges that the block follows.
    /// - Throws: The error that kept the store from writing; the charges stand then.
    public func giveBack(_ charged: [ChargeKey], own: BudgetKey, max: Int) async throws(StoreError) {
        try await core.database.write { db in try Self.giveBack(db, charged, own, max: max) }
    }

    private static func giveBack(_ db: Database, _ charged: [ChargeKey], _ own: BudgetKey, max: Int) throws {
        // A block is opened by a correct answer only.
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
