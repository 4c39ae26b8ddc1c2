import Foundation
import Storage
import Tables
import TablesClient

/// The operations of a push that are marked as in flight, and the answers that are still to be kept.
///
/// Some operations are marked at once, and answers that come quickly are kept together with the next of them, since each
/// transaction waits for the disk. That goes on beside the requests, one transaction at a time. After a crash, operations
/// that are marked or whose answers were not kept count as attempted.
struct PushWindow {
    /// The longest time that answers are kept together; one that took as long itself is kept at once.
    private static let answerPause: Duration = .milliseconds(20)

    private let run: PushRun
    /// Most operations that one transaction marks.
    private let most: Int
    private var taken: [TakenOperation] = []
    private var answers: [PushAnswer] = []
    /// Rows whose operations stay.
    private var blocked: Set<RowPlace> = []
    /// The transaction under way, and the answers that it keeps.
    private var ahead: (transaction: Task<[TakenOperation], any Error>, answers: [PushAnswer])?
    /// The number of the operation that was marked last.
    private var last: Int64 = 0
    /// True if the queue has been asked for what comes behind ``last``.
    private var isAsked = false
    private var answersDue = ContinuousClock.now

    /// Number of operations whose answers are kept.
    private(set) var completed = 0

    /// The beginning of a push.
    init(_ run: PushRun, most: Int) {
        self.run = run
        self.most = most
    }

    /// The next operation, which is marked; nil at the end of the queue, when all answers are kept.
    mutating func next() async throws -> TakenOperation? {
        if taken.isEmpty { try await land() }
        if taken.isEmpty {
            begin(taking: most)
            try await land()
        }
        return taken.isEmpty ? nil : taken.removeFirst()
    }

    /// Takes an answer, to be kept soon.
    mutating func add(_ answer: PushAnswer) { answers.append(answer) }

    /// Leaves further operations of this one's row out.
    mutating func block(_ operation: TableOperation) { blocked.insert(RowPlace(operation)) }

    /// Begins to mark more operations where few are left, and to keep answers where it is time for it.
    mutating func lookAhead() async throws {
        func isLow() -> Bool { !isAsked && taken.count <= most / 2 }
        guard !taken.isEmpty, isLow() || ContinuousClock.now >= answersDue else { return }
        // Most often it has ended long ago.
        try await land()
        begin(taking: isLow() ? most : 0)
    }

    /// Keeps answers, and puts operations back that were taken and not sent.
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

    /// Waits for the transaction under way, whatever comes of it.
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

    /// Tells who watches the tables of answers that have been kept.
    private mutating func tell(_ answers: [PushAnswer]) {
        for table in Set(answers.map(\.change.table)) { run.context.watchers.changed(table) }
        completed += answers.count
    }
}

extension PushRun {
    /// Marks the next operations as in flight, each of another row; at the beginning of the queue those that an earlier
    /// process had in flight count as attempted first.
    ///
    /// - Parameters:
    ///   - most: Most operations that are marked.
    ///   - last: The number of the operation before them.
    ///   - blocked: Rows whose operations stay.
    ///   - waiting: Rows with an operation that is marked and has no answer yet.
    ///   - answers: Answers of those before, kept in the same transaction.
    /// - Returns: The operations; none at the end of the queue, or if the next one has to wait.
    /// - Throws: The store's error.
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
                // An operation never goes before an earlier one of its row.
                if blocked.contains(RowPlace(operation)) { continue }
                // Nor is it made before that one has its answer.
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

    /// Returns the row of a pending edit; without it the edit would be sent without its values.
    private static func row(
        of operation: TableOperation,
        _ store: any SyncTransaction
    ) throws -> RemoteRow {
        guard let row = try store.row(operation.itemID, in: operation.table) else {
            throw StoreError(.corrupt, .rowMissing)
        }
        return row
    }

    /// Operations that an earlier process had in flight may have been done or not.
    private static func recover(_ store: any SyncTransaction) throws {
        for var operation in try store.operations(in: nil) where operation.state == .inFlight {
            operation.state = .attempted
            try store.save(operation)
        }
    }
}

/// An answer that is to be kept: the row as the server wrote it, nil after a deletion.
struct PushAnswer: Sendable {
    let change: QueueChange
    let row: RemoteRow?
    /// Whether the server wrote the row for this operation, on the version that the operation named.
    var isOwnWrite = false
}

/// An operation that is marked as in flight, and the state that it had.
struct TakenOperation: Sendable {
    let operation: TableOperation
    let state: TableOperation.State
}
