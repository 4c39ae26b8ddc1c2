import DurableSQLite
import Foundation
import GRDB
import Moments
public import Origins
public import Storage

extension AuthorityStore {
    /// Budgets of attempts: charged, durably, before an answer is evaluated.
    public struct Budgets: Sendable {
        let core: Core

        /// Takes all charges or none.
        ///
        /// - Parameters:
        ///   - charges: The charges, in order.
        ///   - credential: The credential that the charge from which a block follows withholds, so that it is not taken
        ///     again even if the result of the answer is lost.
        /// - Returns: The charges taken, or the budget that refused.
        /// - Throws: The error that kept the store from writing; nothing was charged then.
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

        /// Takes charges up to the first that is refused; what was taken before it is the caller's to undo.
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

        /// The outcome that these charges would have; none is taken.
        public func outlook(_ charges: [Charge]) async throws(StoreError) -> ChargeOutcome {
            try await core.database.write { db, now in throw Undone(try charge(db, charges, at: now)) }
        }

        /// Gives charges back after a correct answer that leaves nothing else to write.
        public func settle(_ keys: [ChargeKey]) async throws(StoreError) {
            try await core.database.write { db in try Self.settle(db, keys) }
        }

        /// The state of budgets, without charging them, and whether an origin is known.
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

        /// Takes back every charge against the subject; where a correct answer was given stays known.
        ///
        /// - Parameters:
        ///   - subject: The keyed hash of the protected subject.
        ///   - events: The events to record.
        /// - Returns: The number of budgets that were opened by it.
        /// - Throws: The error that kept the store from writing.
        @discardableResult
        public func unlock(_ subject: BudgetKey, events: [AuditEvent]) async throws(StoreError) -> Int {
            try await core.database.write { db, now in
                let known = try db.run(Self.liftStatement, ["subject": subject.text])
                let count = try known + Self.open(db, subject, at: now, keepsProven: true)
                try Audit.append(db, events, at: now)
                return count
            }
        }

        /// Deletes every charge against the subject, and unless they are kept the budgets that were proven, too.
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

        /// Deletes budgets that no longer limit anything; a correct answer is remembered for 90 days.
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

        /// The time without a charge after which a budget is reset.
        static let forgetAfter = Duration.seconds(24 * 3600)
        /// The time for which a correct answer is remembered.
        static let provenFor = Duration.seconds(90 * 24 * 3600)

        /// The id of the row that exists while charges from before it may be lost, and therefore count as taken.
        private static let spent = "spent"

        /// Counts every window that may have begun by now as used up, because charges were lost.
        static func spend(_ db: Database, at now: Moment) throws {
            try db.run("DELETE FROM attempts WHERE id = subject")
            try mark(db, spent, subject: nil, at: now)
        }

        /// Writes a row without charges that lasts for the longest period.
        private static func mark(_ db: Database, _ id: String, subject: BudgetKey?, at now: Moment) throws {
            let ends = Deadline(forgetAfter, after: now)
            try db.insert(
                into: "attempts",
                ["id": id, "subject": subject?.text, "used": 0, "level": 0, "proven": false, "period": 1]
                    + ends.columns("ends") + ends.columns("forget"),
                replacing: true
            )
        }

        /// Milliseconds for which a charge's budget counts as used up because charges were lost; 0 otherwise, or if an
        /// operator has unlocked the subject since.
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
            // A share protects no subject; it fills up with the budget that it is of.
            case .share: return 0
            }
            let left = try row.deadline("ends").millisecondsLeft(at: now)
            return max(0, left - max(0, (forgetAfter - period).milliseconds))
        }

        /// Gives back the charges of a correct answer; a block's budget is open again, and proven.
        ///
        /// Beside it only a wrong answer that is the last one again gives charges back: a caller that cannot evaluate an
        /// answer must not charge it.
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

        /// Remembers correct answers that were charged nowhere: those that made an account.
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

        /// Takes charges up to the first that is refused; what was taken before it is the caller's to undo.
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

        /// Milliseconds until a budget that refuses a charge is open again; a share is with the budget that it is of.
        private func retryAfter(_ db: Database, _ charge: Charge, at now: Moment) throws -> Int64 {
            switch charge.rule {
            case .share(_, let whole, _): try Self.budget(db, whole, at: now).retryAfterMs
            case .window, .shared, .block: try Self.budget(db, charge.key, at: now).retryAfterMs
            }
        }

        /// The charges that all origins together may take in a period, as far as this one is concerned.
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

        /// The length of a block after `level` earlier blocks.
        static func length(_ block: Duration, factor: Int, level: Int, longest: Duration) -> Duration {
            var length = block
            for _ in 0..<min(level, 64) where length < longest { length *= max(factor, 1) }
            return min(length, max(longest, block))
        }

        /// SQL for ``Deadline/hasPassed(at:)`` of the deadline `name`.
        private static func passed(_ name: String) -> String {
            """
            (CASE WHEN attempts.\(name)_boot_id = :boot_id THEN attempts.\(name)_boot <= :boot
            ELSE attempts.\(name)_wall <= :wall END)
            """
        }

        /// Opens the budgets of a subject that were charged and are proven.
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

        /// Only a block that is over fills the budget up again, and the charge after it clears its end.
        ///
        /// However `max` changes while the program runs, nothing is given back for which no block was sat out.
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
