import Foundation
import GRDB
import Metrics
import Storage
import Synchronization

/// Commits what many ask for in few transactions, each request of several in a savepoint of its own.
///
/// Nobody is answered before the commit that holds their change has returned. `BEGIN IMMEDIATE` lives only here.
final class Writer: Sendable {
    /// Maximum number of waiting requests.
    static let capacity = 1024
    /// Maximum number of requests in one transaction.
    static let batchSize = 128
    /// The longest wait for those who are on their way.
    private static let longestGathering = Duration.milliseconds(4)

    private let pool: DatabasePool
    private let queue = Mutex(Queue())
    /// The last transaction: the number of those who shared it or came before it ended, and the time that its end took.
    private let last = Mutex((crowd: 0, took: Duration.zero))
    private let commits: Metrics.Timer
    private let changes: Counter

    /// - Parameters:
    ///   - pool: The database.
    ///   - store: The store's name in metrics.
    init(_ pool: DatabasePool, store: String) {
        self.pool = pool
        commits = Metrics.Timer(label: "store_commit_duration", dimensions: [("store", store)])
        changes = Counter(label: "store_changes", dimensions: [("store", store)])
    }

    /// Number of waiting requests.
    var waiting: Int { queue.withLock { $0.count } }

    /// Runs `body` in a transaction and returns when that has been committed.
    func write<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async -> Result<T, any Error> {
        await withCheckedContinuation { (caller: CheckedContinuation<Result<T, any Error>, Never>) in
            let job = Job { db in
                do {
                    let value = try body(db)
                    return Attempt(error: nil) { fault in
                        caller.resume(returning: fault.map { .failure($0) } ?? .success(value))
                    }
                } catch {
                    // The job may have read rows that were then not committed, so a failed commit takes precedence.
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

    /// Waits for those who are on their way, if fewer wait than were there during the last transaction: until as many are
    /// there, or nobody has come for as long as a transaction's end takes.
    ///
    /// They would wait for the next one otherwise; somebody alone waits for nobody.
    private func gather() {
        let last = last.withLock { $0 }
        let ends = ContinuousClock.now + Self.longestGathering
        var before = 0
        while case let now = waiting, now > before, now < last.crowd, ContinuousClock.now < ends {
            before = now
            usleep(UInt32(min(last.took, Self.longestGathering) / .microseconds(1)))
        }
    }

    /// Runs jobs in one transaction, with those who come meanwhile, and answers who asked.
    ///
    /// - Parameters:
    ///   - jobs: The jobs; those that were answered are taken out, which is not all if SQLite gave up half-way.
    ///   - db: The database.
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
            // One alone is undone with its transaction: a savepoint would copy each page that it changes.
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
                // Not even the first could begin: nobody who waits here could.
                for job in jobs { job.refuse(error) }
                jobs = []
                return
            }
        }
        jobs.removeFirst(attempts.count)
        for attempt in attempts { attempt.answer(fault) }
    }
}

/// Outcome of one request inside a transaction, and the way to deliver it.
private struct Attempt: Sendable {
    let error: (any Error)?
    /// Called once with what went wrong with the transaction, if anything did.
    let answer: @Sendable ((any Error)?) -> Void
}

/// A request that waits for its transaction.
private struct Job: Sendable {
    let run: @Sendable (Database) -> Attempt
    /// Called instead of ``run`` if there can be no transaction.
    let refuse: @Sendable (any Error) -> Void
}

/// The requests that wait.
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

    /// Takes those who wait longest.
    mutating func take(_ most: Int) -> [Job] {
        let taken = Array(waiting.prefix(most))
        waiting.removeFirst(taken.count)
        return taken
    }
}
