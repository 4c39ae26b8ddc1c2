import DurableSQLite
import Foundation
import GRDB
import Moments
public import Origins
public import Storage

extension AuthorityStore {
    /// The attempt budgets, whose charges are on disk before an answer is evaluated.
    public struct Budgets: Sendable {
        let core: Core

        /// Makes all charges or none, and withholds `credential` if a block starts.
        ///
        /// A withheld credential is not accepted, and stays withheld if the result of evaluating the answer is lost.
        public func charge(
            _ charges: [Charge],
            withholding credential: EnrolmentName? = nil
        ) async throws(StoreError) -> ChargeOutcome {
            try await core.database.write { db, now in
                let outcome = try charge(db, charges, withholding: credential, at: now)
                if case .blocked = outcome { throw Undone(outcome) }
                return outcome
            }
        }

        /// Makes the charges in order until one is rejected, in which case the caller must roll back the earlier ones.
        func charge(
            _ db: Database,
            _ charges: [Charge],
            withholding credential: EnrolmentName?,
            at now: Moment
        ) throws -> ChargeOutcome {
            let outcome = try charge(db, charges, at: now)
            if case .charged(_, let used) = outcome, let credential,
                zip(charges, used).contains(where: { $0.blocks(after: $1) })
            {
                try Enrolments.withhold(db, credential, core)
            }
            return outcome
        }

        /// Returns the outcome that the charges would have, without making the charges.
        public func outlook(_ charges: [Charge]) async throws(StoreError) -> ChargeOutcome {
            try await core.database.write { db, now in throw Undone(try charge(db, charges, at: now)) }
        }

        /// Refunds charges after a correct answer, in a separate transaction.
        public func settle(_ keys: [ChargeKey]) async throws(StoreError) {
            try await core.database.write { db in try Self.settle(db, keys) }
        }

        /// Returns the states of budgets without charging them, and whether `origin` is known.
        public func peek(
            _ keys: [BudgetKey],
            at origin: OriginLevels
        ) async throws(StoreError) -> (budgets: [Budget], isKnown: Bool) {
            let now = core.clock.now
            return try await core.database.find { db in
                (
                    try keys.map { try Self.budget(db, $0, at: now) },
                    try Successes(core: core).isKnown(db, origin, at: now)
                )
            }
        }

        /// Removes all charges from a subject's budgets, and returns the number of unlocked budgets.
        ///
        /// Correct answers that are recorded in the budgets remain.
        @discardableResult
        public func unlock(_ subject: BudgetKey, events: [AuditEvent]) async throws(StoreError) -> Int {
            try await core.database.write { db, now in
                let known = try db.run(Self.liftStatement, ["subject": subject.text])
                let count = try known + Self.open(db, subject, at: now, keepsProven: true)
                try Audit.append(db, events, at: now)
                return count
            }
        }

        @discardableResult
        static func open(
            _ db: Database,
            _ subject: BudgetKey,
            at now: Moment,
            keepsProven: Bool = false
        ) throws -> Int {
            let count = try db.run(
                "DELETE FROM attempts WHERE subject = :subject AND id <> :subject AND proven <= :proven",
                ["subject": subject.text, "proven": keepsProven ? 0 : 1]
            )
            if try db.row("SELECT 1 FROM attempts WHERE id = :id", ["id": Self.spent]) != nil {
                try mark(db, subject.text, subject: subject, at: now)
            }
            return count
        }

        /// Deletes budgets that no longer have an effect.
        @discardableResult
        public func sweep(limit: Int) async throws(StoreError) -> Int {
            try await core.database.write { db, now in
                try db.run(
                    """
                    DELETE FROM attempts WHERE id IN (
                        SELECT id FROM attempts
                        WHERE forget_wall <= :wall AND \(Self.passed("forget"))
                            AND (proven = 0 OR forget_wall <= :wall - :proven)
                        LIMIT :limit
                    )
                    """,
                    now.arguments + ["proven": Self.provenFor.milliseconds, "limit": limit]
                )
            }
        }

        /// The time without charges after which a budget is reset.
        static let forgetAfter = Duration.seconds(24 * 3600)
        static let provenFor = Duration.seconds(90 * 24 * 3600)

        /// The id of the row that records that charges were lost.
        private static let spent = "spent"

        /// Marks all budgets that have a subject as exhausted, because charges were lost.
        ///
        /// Each budget stays exhausted for one period or, if it has blocks, for the length of its first block.
        static func spend(_ db: Database, at now: Moment) throws {
            try db.run("DELETE FROM attempts WHERE id = subject")
            try mark(db, spent, subject: nil, at: now)
        }

        private static func mark(_ db: Database, _ id: String, subject: BudgetKey?, at now: Moment) throws {
            let ends = Deadline(forgetAfter, after: now)
            try db.insert(
                into: "attempts",
                ["id": id, "subject": subject?.text, "used": 0, "level": 0, "proven": false, "period": 1]
                    + ends.columns("ends") + ends.columns("forget"),
                replacing: true
            )
        }

        /// Returns the number of milliseconds for which a budget stays exhausted because charges were lost.
        ///
        /// The result is 0 if the subject has been unlocked since then.
        private static func spentFor(_ db: Database, _ charge: Charge, at now: Moment) throws -> Int64 {
            guard let subject = charge.subject,
                let row = try db.row("SELECT * FROM attempts WHERE id = :id", ["id": spent]),
                try db.row("SELECT 1 FROM attempts WHERE id = :id", ["id": subject.text]) == nil
            else { return 0 }
            let period: Duration
            switch charge.rule {
            case .window(_, let whole): period = whole
            case .shared(let rate): period = rate.period
            case .block(_, let block, _, _): period = block
            // A share has no subject, and its charges expire together with those of the budget that it belongs to.
            case .share: return 0
            }
            let left = try row.deadline("ends").millisecondsLeft(at: now)
            return max(0, left - max(0, (forgetAfter - period).milliseconds))
        }

        /// Refunds the charges for a correct answer.
        ///
        /// Budgets with blocks are unlocked, and record that a correct answer was given.
        static func settle(_ db: Database, _ keys: [ChargeKey]) throws {
            for key in keys {
                if let period = key.period {
                    try db.run(
                        "UPDATE attempts SET used = used - 1 WHERE id = :id AND period = :period AND used > 0",
                        ["id": key.key.text, "period": period]
                    )
                } else {
                    try db.run(
                        """
                        UPDATE attempts SET used = 0, level = 0, proven = 1, ends_wall = 0, ends_boot = 0,
                            ends_boot_id = '', answer = NULL
                        WHERE id = :id
                        """,
                        ["id": key.key.text]
                    )
                }
            }
        }

        /// Records correct answers that were not charged, because they were part of a sign-up.
        static func prove(_ db: Database, _ proofs: [ProvenBudget], at now: Moment) throws {
            let forget = Deadline(forgetAfter, after: now)
            for proof in proofs {
                try db.run(
                    """
                    INSERT INTO attempts (id, subject, used, level, proven, period, ends_wall, ends_boot, ends_boot_id,
                        forget_wall, forget_boot, forget_boot_id)
                    VALUES (:id, :subject, 0, 0, 1, 1, 0, 0, '', :forget_wall, :forget_boot, :forget_boot_id)
                    ON CONFLICT (id) DO UPDATE SET proven = 1
                    """,
                    ["id": proof.key.text, "subject": proof.subject.text] + forget.arguments("forget")
                )
            }
        }

        private static func isProven(_ db: Database, _ key: BudgetKey) throws -> Bool {
            try db.number("SELECT proven FROM attempts WHERE id = :id", ["id": key.text]) == 1
        }

        private static func budget(_ db: Database, _ key: BudgetKey, at now: Moment) throws -> Budget {
            guard let row = try db.row("SELECT * FROM attempts WHERE id = :id", ["id": key.text]) else {
                return Budget(used: 0, retryAfterMs: 0, hasBlock: false, proven: false)
            }
            let ends = try row.deadline("ends")
            let forgotten = try row.deadline("forget").hasPassed(at: now) && ends.hasPassed(at: now)
            return Budget(
                used: forgotten ? 0 : try row.get("used"),
                retryAfterMs: ends.millisecondsLeft(at: now),
                hasBlock: ends.wall != 0,
                proven: try row.get("proven")
            )
        }

        private func charge(_ db: Database, _ charges: [Charge], at now: Moment) throws -> ChargeOutcome {
            var keys: [ChargeKey] = []
            var used: [Int] = []
            for (index, charge) in charges.enumerated() {
                if try charge.exemptIfProven.contains(where: { try Self.isProven(db, $0) }) {
                    used.append(0)
                    continue
                }
                let spentFor = try Self.spentFor(db, charge, at: now)
                if spentFor > 0 { return .blocked(index: index, retryAfterMs: spentFor) }
                guard let taken = try self.charge(db, charge, at: now) else {
                    return .blocked(index: index, retryAfterMs: try retryAfter(db, charge, at: now))
                }
                keys.append(taken.key)
                used.append(taken.used)
            }
            return .charged(keys: keys, used: used)
        }

        private func retryAfter(_ db: Database, _ charge: Charge, at now: Moment) throws -> Int64 {
            switch charge.rule {
            case .share(_, let whole, _): try Self.budget(db, whole, at: now).retryAfterMs
            case .window, .shared, .block: try Self.budget(db, charge.key, at: now).retryAfterMs
            }
        }

        private func limit(_ db: Database, _ rate: SharedRate, at now: Moment) throws -> Int {
            switch rate.standing {
            case .known(let origin): rate.total.limit(isKnown: try Successes(core: core).isKnown(db, origin, at: now))
            case .proven(let keys): rate.total.limit(isKnown: try keys.contains { try Self.isProven(db, $0) })
            }
        }

        private func charge(
            _ db: Database,
            _ charge: Charge,
            at now: Moment
        ) throws -> (key: ChargeKey, used: Int)? {
            let common: StatementArguments =
                ["id": charge.key.text, "subject": charge.subject?.text] + now.arguments
            func window(_ max: Int, _ ends: Deadline) throws -> (key: ChargeKey, used: Int)? {
                let row = try db.row(Self.windowStatement, common + ends.arguments("ends") + ["max": max])
                return try row.map { row in
                    (ChargeKey(key: charge.key, period: try row.get("period")), try row.get("used"))
                }
            }
            switch charge.rule {
            case .window(let max, let period): return try window(max, Deadline(period, after: now))
            case .shared(let rate): return try window(try limit(db, rate, at: now), Deadline(rate.period, after: now))
            case .share(let max, let whole, let rate):
                let row = try db.row("SELECT * FROM attempts WHERE id = :id", ["id": whole.text])
                guard let row else { throw StoreError(.corrupt, "a share of a budget was charged before the budget") }
                let left = try limit(db, rate, at: now) - row.get("used")
                guard rate.total.allows(levelWith: try Self.budget(db, charge.key, at: now).used, left: left) else {
                    return nil
                }
                return try window(max, try row.deadline("ends"))
            case .block(let max, let block, let factor, let longest):
                let forget = Deadline(Self.forgetAfter, after: now)
                let row = try db.row(Self.blockStatement, common + forget.arguments("forget") + ["max": max])
                guard let row else { return nil }
                let used: Int = try row.get("used")
                if used >= max {
                    let length = Self.length(block, factor: factor, level: try row.get("level"), longest: longest)
                    let ends = Deadline(length, after: now)
                    let forget = Deadline(length + Self.forgetAfter, after: now)
                    try db.run(
                        """
                        UPDATE attempts SET level = level + 1, \(Deadline.assignments("ends")),
                            \(Deadline.assignments("forget"))
                        WHERE id = :id
                        """,
                        ["id": charge.key.text] + ends.arguments("ends") + forget.arguments("forget")
                    )
                }
                return (ChargeKey(key: charge.key, period: nil), used)
            }
        }

        static func length(_ block: Duration, factor: Int, level: Int, longest: Duration) -> Duration {
            var length = block
            for _ in 0..<min(level, 64) where length < longest { length *= max(factor, 1) }
            return min(length, max(longest, block))
        }

        /// Returns the SQL equivalent of ``Deadline/hasPassed(at:)`` for the deadline `name`.
        private static func passed(_ name: String) -> String {
            """
            (CASE WHEN attempts.\(name)_boot_id = :boot_id THEN attempts.\(name)_boot <= :boot
            ELSE attempts.\(name)_wall <= :wall END)
            """
        }

        /// The statement that unlocks a subject's charged budgets in which a correct answer is recorded.
        private static let liftStatement = """
            UPDATE attempts SET used = 0, level = 0, ends_wall = 0, ends_boot = 0, ends_boot_id = '', answer = NULL
            WHERE subject = :subject AND id <> :subject AND proven = 1 AND (used > 0 OR level > 0)
            """

        private static let windowStatement = """
            INSERT INTO attempts (id, subject, used, level, proven, period, ends_wall, ends_boot, ends_boot_id,
                forget_wall, forget_boot, forget_boot_id)
            VALUES (:id, :subject, 1, 0, 0, 1, :ends_wall, :ends_boot, :ends_boot_id,
                :ends_wall, :ends_boot, :ends_boot_id)
            ON CONFLICT (id) DO UPDATE SET
                used = CASE WHEN \(passed("ends")) THEN 1 ELSE attempts.used + 1 END,
                period = CASE WHEN \(passed("ends")) THEN attempts.period + 1 ELSE attempts.period END,
                ends_wall = CASE WHEN \(passed("ends")) THEN excluded.ends_wall ELSE attempts.ends_wall END,
                ends_boot = CASE WHEN \(passed("ends")) THEN excluded.ends_boot ELSE attempts.ends_boot END,
                ends_boot_id = CASE WHEN \(passed("ends")) THEN excluded.ends_boot_id ELSE attempts.ends_boot_id END,
                forget_wall = CASE WHEN \(passed("ends")) THEN excluded.forget_wall ELSE attempts.forget_wall END,
                forget_boot = CASE WHEN \(passed("ends")) THEN excluded.forget_boot ELSE attempts.forget_boot END,
                forget_boot_id =
                    CASE WHEN \(passed("ends")) THEN excluded.forget_boot_id ELSE attempts.forget_boot_id END
            WHERE attempts.used < :max OR \(passed("ends"))
            RETURNING used, period
            """

        /// The statement that charges a budget with blocks.
        ///
        /// The count restarts after a block or a day without charges, but not when `max` changes in the configuration.
        private static let blockStatement = """
            INSERT INTO attempts (id, subject, used, level, proven, period, ends_wall, ends_boot, ends_boot_id,
                forget_wall, forget_boot, forget_boot_id)
            VALUES (:id, :subject, 1, 0, 0, 1, 0, 0, '', :forget_wall, :forget_boot, :forget_boot_id)
            ON CONFLICT (id) DO UPDATE SET
                used = CASE WHEN attempts.ends_wall <> 0 OR \(passed("forget")) THEN 1 ELSE attempts.used + 1 END,
                ends_wall = 0,
                ends_boot = 0,
                ends_boot_id = '',
                level = CASE WHEN \(passed("forget")) THEN 0 ELSE attempts.level END,
                answer = CASE WHEN \(passed("forget")) THEN NULL ELSE attempts.answer END,
                forget_wall = excluded.forget_wall,
                forget_boot = excluded.forget_boot,
                forget_boot_id = excluded.forget_boot_id
            WHERE \(passed("ends"))
            RETURNING used, level, period
            """
    }
}
