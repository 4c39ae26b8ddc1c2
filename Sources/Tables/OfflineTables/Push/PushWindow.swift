import Foundation
import Storage
import Tables
import TablesClient

/// The operations of a push that are marked as in flight, and the responses that are not yet stored.
///
/// Each transaction waits for the disk, so one transaction marks several operations and stores the responses that have
/// arrived. After a crash, marked operations without a stored response count as attempted.
struct PushWindow {
    /// The time for which responses are collected, after which the next response causes all of them to be stored.
    private static let answerPause: Duration = .milliseconds(20)

    private let run: PushRun
    /// The maximum number of operations that one transaction marks.
    private let most: Int
    private var taken: [TakenOperation] = []
    private var answers: [PushAnswer] = []
    private var blocked: Set<RowPlace> = []
    /// The running transaction, and the responses that it stores.
    private var ahead: (transaction: Task<[TakenOperation], any Error>, answers: [PushAnswer])?
    private var last: Int64 = 0
    /// Whether a transaction has already looked for operations after ``last``.
    private var isAsked = false
    private var answersDue = ContinuousClock.now

    private(set) var completed = 0

    init(_ run: PushRun, most: Int) {
        self.run = run
        self.most = most
    }

    /// Returns the next marked operation, or `nil` when the queue has no more operations and all responses are stored.
    mutating func next() async throws -> TakenOperation? {
        if taken.isEmpty { try await land() }
        if taken.isEmpty {
            begin(taking: most)
            try await land()
        }
        return taken.isEmpty ? nil : taken.removeFirst()
    }

    mutating func add(_ answer: PushAnswer) { answers.append(answer) }

    /// Blocks the row of `operation`, so that the push skips all later operations on the row.
    mutating func block(_ operation: TableOperation) { blocked.insert(RowPlace(operation)) }

    /// Starts a transaction that stores waiting responses and marks operations, if few are marked or responses are due.
    mutating func lookAhead() async throws {
        func isLow() -> Bool { !isAsked && taken.count <= most / 2 }
        guard !taken.isEmpty, isLow() || ContinuousClock.now >= answersDue else { return }
        // At this point, the previous transaction has usually finished.
        try await land()
        begin(taking: isLow() ? most : 0)
    }

    /// Stores the responses, and restores the previous states of all marked but unsent operations.
    mutating func giveBack(_ next: TakenOperation? = nil) async throws {
        try await land()
        let answers = answers
        let unsent = try ((next.map { [$0] } ?? []) + taken).map { one throws(SyncError) in
            (try run.change(of: one.operation), one.state)
        }
        try await run.storing { store in
            for answer in answers { try answer.change.done(answer.row, isOwnWrite: answer.isOwnWrite, store) }
            for (change, state) in unsent { try change.unsent(state, store) }
        }
        tell(answers)
    }

    mutating func settle() async { try? await land() }

    private mutating func begin(taking count: Int) {
        let (run, last, blocked, answers) = (run, last, blocked, answers)
        let waiting = Set(taken.map { RowPlace($0.operation) })
        let transaction = Task {
            try await run.take(count, after: last, blocked: blocked, waiting: waiting, keeping: answers)
        }
        ahead = (transaction, answers)
        self.answers = []
        answersDue = .now + Self.answerPause
        if count > 0 { isAsked = true }
    }

    private mutating func land() async throws {
        guard let ahead else { return }
        self.ahead = nil
        let more = try await ahead.transaction.value
        tell(ahead.answers)
        taken += more
        guard let newest = more.last else { return }
        last = newest.operation.id
        isAsked = false
    }

    private mutating func tell(_ answers: [PushAnswer]) {
        for table in Set(answers.map(\.change.table)) { run.context.watchers.changed(table) }
        completed += answers.count
    }
}

extension PushRun {
    /// Marks the next operations that are not on `blocked` rows as in flight, and stores `answers`.
    ///
    /// Operations left in flight by an earlier process are first marked as attempted. Marking stops at an operation
    /// that must wait for the response to an earlier operation on its row.
    fileprivate func take(
        _ most: Int,
        after last: Int64,
        blocked: Set<RowPlace>,
        waiting: Set<RowPlace>,
        keeping answers: [PushAnswer]
    ) async throws -> [TakenOperation] {
        try await storing { [tables] store in
            for answer in answers { try answer.change.done(answer.row, isOwnWrite: answer.isOwnWrite, store) }
            if last == 0 { try Self.recover(store) }
            var (last, rows, taken) = (last, waiting, [TakenOperation]())
            while taken.count < most, var operation = try store.operation(after: last, in: tables) {
                last = operation.id
                if blocked.contains(RowPlace(operation)) { continue }
                guard rows.insert(RowPlace(operation)).inserted else { break }
                let state = operation.state
                switch state {
                case .attempted: break
                case .pending, .inFlight:
                    switch operation.kind {
                    case .insert:
                        operation.item = try Self.row(of: operation, store)
                        operation.key = UUID()
                    case .update:
                        operation.item = try Self.row(of: operation, store)
                        operation.key = nil
                    case .delete: break
                    }
                }
                operation.state = .inFlight
                try store.save(operation)
                taken.append(TakenOperation(operation: operation, state: state))
            }
            return taken
        }
    }

    /// Returns the row of a pending edit, or throws an error if the row is missing.
    private static func row(
        of operation: TableOperation,
        _ store: any SyncTransaction
    ) throws -> RemoteRow {
        guard let row = try store.row(operation.itemID, in: operation.table) else {
            throw StoreError(.corrupt, .rowMissing)
        }
        return row
    }

    /// Marks operations as attempted if an earlier process left them in flight.
    private static func recover(_ store: any SyncTransaction) throws {
        for var operation in try store.operations(in: nil) where operation.state == .inFlight {
            operation.state = .attempted
            try store.save(operation)
        }
    }
}

/// A response that is not yet stored, with the row that the server stored, or `nil` after a deletion.
struct PushAnswer: Sendable {
    let change: QueueChange
    let row: RemoteRow?
    /// Whether this operation's request inserted the row or changed the version that the request specified.
    var isOwnWrite = false
}

struct TakenOperation: Sendable {
    let operation: TableOperation
    let state: TableOperation.State
}
