import Foundation
import GRDB
import Metrics
import Storage
import Synchronization

/// Commits the changes of many callers in a small number of transactions, each change in its own savepoint.
///
/// No caller gets its result before its change is committed.
final class Writer: Sendable {
    /// The maximum number of waiting requests.
    static let capacity = 1024
    /// The maximum number of requests in one transaction.
    static let batchSize = 128
    /// The maximum time that a transaction waits for more requests.
    private static let longestGathering = Duration.milliseconds(4)

    private let pool: DatabasePool
    private let queue = Mutex(Queue())
    /// The last transaction: the number of requests that were part of it or arrived before it ended, and how long its
    /// commit took.
    private let last = Mutex((crowd: 0, took: Duration.zero))
    private let commits: Metrics.Timer
    private let changes: Counter

    init(_ pool: DatabasePool, store: String) {
        self.pool = pool
        commits = Metrics.Timer(label: "store_commit_duration", dimensions: [("store", store)])
        changes = Counter(label: "store_changes", dimensions: [("store", store)])
    }

    var waiting: Int { queue.withLock { $0.count } }

    func write<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async -> Result<T, any Error> {
        await withCheckedContinuation { (caller: CheckedContinuation<Result<T, any Error>, Never>) in
            let job = Job { db in
                do {
                    let effects = CommitEffects()
                    let value = try CommitEffects.$current.withValue(effects) { try body(db) }
                    return Attempt(error: nil) { fault in
                        if fault == nil { effects.run() }
                        caller.resume(returning: fault.map { .failure($0) } ?? .success(value))
                    }
                } catch {
                    // The job could have read rows that were not committed, so a commit error takes precedence.
                    return Attempt(error: error) { fault in caller.resume(returning: .failure(fault ?? error)) }
                }
            } refuse: { error in
                caller.resume(returning: .failure(error))
            }
            switch queue.withLock({ $0.add(job) }) {
            case .full:
                caller.resume(
                    returning: .failure(StoreError(.limitExceeded, "\(Self.capacity) changes wait for the disk"))
                )
            case .waits: break
            case .mustStart: pool.asyncWriteWithoutTransaction { [self] db in drain(db) }
            }
        }
    }

    private func drain(_ db: Database) {
        gather()
        while var jobs = queue.withLock({ $0.next() }) {
            while !jobs.isEmpty { commit(&jobs, db) }
            gather()
        }
    }

    /// Waits for more requests if fewer are queued than during the last transaction.
    ///
    /// The wait ends when that number is reached, or when no request arrives for as long as the last commit took.
    private func gather() {
        let last = last.withLock { $0 }
        let ends = ContinuousClock.now + Self.longestGathering
        var before = 0
        while case let now = waiting, now > before, now < last.crowd, ContinuousClock.now < ends {
            before = now
            usleep(UInt32(min(last.took, Self.longestGathering) / .microseconds(1)))
        }
    }

    /// Runs jobs, including those that arrive meanwhile, in one transaction, and removes finished jobs from `jobs`.
    private func commit(_ jobs: inout [Job], _ db: Database) {
        var attempts: [Attempt] = []
        var fault: (any Error)?
        let began = ContinuousClock.now
        defer {
            let took = (ContinuousClock.now - began).components
            commits.recordNanoseconds(took.seconds * 1_000_000_000 + took.attoseconds / 1_000_000_000)
            changes.increment(by: Int64(attempts.count))
        }
        do {
            try db.run("BEGIN IMMEDIATE")
            // A single job is rolled back with its transaction, so it needs no savepoint.
            let isAlone = jobs.count == 1
            while attempts.count < jobs.count {
                let isFirstAlone = isAlone && attempts.isEmpty
                if !isFirstAlone { try db.run("SAVEPOINT member") }
                let attempt = jobs[attempts.count].run(db)
                attempts.append(attempt)
                guard db.isInsideTransaction else { throw attempt.error ?? StoreError(.failed, "transaction lost") }
                if isFirstAlone, attempt.error != nil {
                    try db.run("ROLLBACK")
                    break
                }
                if attempt.error != nil { try db.run("ROLLBACK TO member") }
                if !isFirstAlone { try db.run("RELEASE member") }
                if attempts.count == jobs.count {
                    jobs += queue.withLock { $0.take(Self.batchSize - attempts.count) }
                }
            }
            if db.isInsideTransaction {
                let asked = ContinuousClock.now
                try db.run("COMMIT")
                let crowd = attempts.count + waiting
                last.withLock { $0 = (crowd, ContinuousClock.now - asked) }
            }
        } catch {
            fault = error
            if db.isInsideTransaction { _ = try? db.run("ROLLBACK") }
            guard !attempts.isEmpty else {
                // The transaction could not begin, so no waiting job can run.
                for job in jobs { job.refuse(error) }
                jobs = []
                return
            }
        }
        jobs.removeFirst(attempts.count)
        for attempt in attempts { attempt.answer(fault) }
    }
}

private struct Attempt: Sendable {
    let error: (any Error)?
    /// A closure that is called once, with the transaction's error, or with `nil` if the transaction succeeded.
    let answer: @Sendable ((any Error)?) -> Void
}

private struct Job: Sendable {
    let run: @Sendable (Database) -> Attempt
    /// A closure that is called instead of ``run`` if no transaction is possible.
    let refuse: @Sendable (any Error) -> Void
}

private struct Queue: Sendable {
    enum Admission {
        case full
        case waits
        case mustStart
    }

    private var waiting: [Job] = []
    private var runs = false

    var count: Int { waiting.count }

    mutating func add(_ job: Job) -> Admission {
        guard waiting.count < Writer.capacity else { return .full }
        waiting.append(job)
        guard !runs else { return .waits }
        runs = true
        return .mustStart
    }

    mutating func next() -> [Job]? {
        guard !waiting.isEmpty else {
            runs = false
            return nil
        }
        return take(Writer.batchSize)
    }

    mutating func take(_ most: Int) -> [Job] {
        let taken = Array(waiting.prefix(most))
        waiting.removeFirst(taken.count)
        return taken
    }
}
