import FlowModel
import Foundation
import Storage
import Tables
import TablesClient

/// A single push, which sends the operations one after the other and stores their results.
///
/// An operation is sent again only if a conflict handler has resolved its conflict. Every operation is marked as in
/// flight before it is sent, so after a crash the queue shows which operations the server may have performed.
struct PushRun {
    let context: SyncContext
    let client: TablesClient
    let tables: Set<String>?

    private static let reportPause: Duration = .milliseconds(100)

    func run() async throws -> Int {
        var completed = 0
        do {
            try await client.nearConnections { try await sendAll(&completed) }
        } catch var error as SyncError {
            error.errors = (try? await remaining()) ?? []
            error.completed = completed
            throw error
        }
        try await finish(completed)
        return completed
    }

    /// Sends the pending operations, including those added during the push.
    private func sendAll(_ completed: inout Int) async throws {
        var window = PushWindow(self, most: max(context.options.operationsAtOnce, 1))
        defer { completed = window.completed }
        do {
            try await sendAll(of: &window)
        } catch {
            await window.settle()
            throw error
        }
    }

    private func sendAll(of window: inout PushWindow) async throws {
        var reportDue = ContinuousClock.now
        var reported = 0
        var isEmpty = true
        while let next = try await window.next() {
            if Task.isCancelled {
                try await window.giveBack(next)
                throw SyncError(.pushCancelled, .pushCancelled)
            }
            do {
                switch try await perform(next) {
                case .done(let answer): window.add(answer)
                case .stays: window.block(next.operation)
                }
            } catch {
                // If `giveBack` fails, the original error is still thrown, and operations without a stored response
                // count as attempted.
                try? await window.giveBack()
                throw error
            }
            isEmpty = false
            try await window.lookAhead()
            guard window.completed > reported, ContinuousClock.now >= reportDue else { continue }
            reported = window.completed
            try await report(reported)
            reportDue = .now + Self.reportPause
        }
        if !isEmpty { try await report(window.completed) }
    }

    private func finish(_ completed: Int) async throws {
        if let completion = context.options.completion {
            let errors = try await remaining()
            if !errors.isEmpty { try await completion(context.inTurn, errors) }
        }
        let errors = try await remaining()
        guard !errors.isEmpty else { return }
        var error = SyncError(.pushCompleteWithErrors, .refused(errors.count), errors: errors)
        error.completed = completed
        throw error
    }

    private func remaining() async throws -> [TableOperationError] {
        let tables = tables
        return try await storing { try $0.errors(in: nil).filter { tables?.contains($0.table) ?? true } }
    }

    private func report(_ completed: Int) async throws {
        guard let progress = context.options.progress else { return }
        let waiting = try await context.pendingOperationsCount()
        progress(.pushed(completed, waiting: waiting))
    }

    // MARK: Steps

    private enum Outcome {
        /// The operation was performed, or its conflict was resolved in favour of the server's row.
        case done(PushAnswer)
        case stays
    }

    private func perform(_ taken: TakenOperation) async throws -> Outcome {
        var operation = taken.operation
        let declaration = try context.declaration(operation.table)
        for decisions in 0...ConflictHandler.limit {
            let sender = OperationSender(client: client, declaration: declaration)
            let failure: TablesError
            do {
                let sending = operation
                let plain: @Sendable () async throws -> RemoteRow? = { try await sender.send(sending) }
                let reply =
                    if let handler = context.options.operation {
                        try await Self.away { try await handler(sending, plain) }
                    } else { try await plain() }
                // An update without a version may have overwritten another change, and a handler may have returned an
                // unrelated row. In both cases, the row is not known to be the result of only this request.
                let isOwnWrite =
                    context.options.operation == nil && (sending.kind == .insert || sending.item?.version != nil)
                return .done(
                    PushAnswer(
                        change: QueueChange(operation, declaration),
                        row: reply.map(declaration.known),
                        isOwnWrite: isOwnWrite
                    )
                )
            } catch let error as TablesError {
                failure = error
            } catch {
                try await abort(operation, error)
            }
            switch PushFailure(failure, of: operation, formerly: taken.state) {
            case .done: return .done(PushAnswer(change: QueueChange(operation, declaration), row: nil))
            case .aborts(let code, let state):
                try await keep(operation, state)
                throw SyncError(code, failure)
            case .refused(let state):
                try await refuse(operation, failure, nil, state)
                return .stays
            case .conflict:
                let theirs: RemoteRow?
                do {
                    theirs = try await sender.theirs(failure, operation)
                } catch {
                    try await keepUndecided(operation, failure, error)
                    return .stays
                }
                if sender.isDone(operation, by: theirs) {
                    let row = operation.kind.leavesRow ? theirs : nil
                    return .done(PushAnswer(change: QueueChange(operation, declaration), row: row))
                }
                let conflict = SyncConflict(
                    operation: operation,
                    mine: operation.item.map(declaration.known),
                    theirs: theirs,
                    base: operation.base.map(declaration.known),
                    statusCode: failure.status ?? 0
                )
                let decision = decisions == ConflictHandler.limit ? .record : await decide(conflict)
                switch try await resolve(operation, decision, theirs) {
                case .again(let changed): operation = changed
                case .settled(let row):
                    return .done(PushAnswer(change: QueueChange(operation, declaration), row: row))
                case .stays:
                    try await refuse(operation, failure, theirs, .pending)
                    return .stays
                }
            }
        }
        return .stays
    }

    /// Records a conflict without calling the handler, because the server's row could not be fetched.
    private func keepUndecided(
        _ operation: TableOperation,
        _ conflict: TablesError,
        _ lookup: any Error
    ) async throws {
        guard let lookup = lookup as? TablesError else { try await abort(operation, lookup) }
        switch PushFailure(lookup, of: operation, formerly: .attempted) {
        case .aborts(let code, _):
            try await keep(operation, .attempted)
            throw SyncError(code, lookup)
        case .done, .conflict, .refused: try await refuse(operation, conflict, nil, .attempted)
        }
    }

    private func decide(_ conflict: SyncConflict) async -> ConflictResolution {
        // If the handler throws an error, the conflict is recorded, so nothing is lost.
        (try? await Self.away { try await context.options.conflicts.decide(conflict) }) ?? .record
    }

    /// Runs a handler outside of the connections' event loop, because the handler can take a long time.
    private static func away<Value>(_ handler: () async throws -> Value) async throws -> Value {
        try await withTaskExecutorPreference(globalConcurrentExecutor, operation: handler)
    }

    /// Aborts the push after a cancellation, or after an error from the token source or a handler.
    private func abort(_ operation: TableOperation, _ error: any Error) async throws -> Never {
        if let error = error as? SyncError { throw error }
        if error is CancellationError || Task.isCancelled {
            try await keep(operation, .attempted)
            throw SyncError(.pushCancelled, .pushCancelled, underlying: error)
        }
        try await keep(operation, .attempted)
        throw SyncError(.pushAbortedAuthentication, .noToken, underlying: error)
    }

    /// Runs `body` in a transaction of the store, and aborts the push after a store error.
    func storing<Value: Sendable>(
        _ body: @escaping @Sendable (any SyncTransaction) throws -> Value
    ) async throws -> Value {
        do {
            return try await context.store.write(body)
        } catch let error as SyncError {
            throw error
        } catch {
            throw SyncError(.pushAbortedLocalStore, .storeFailed(EnglishText(of: error)), underlying: error)
        }
    }
}

extension PushRun {
    /// Stores the state of an operation that was not sent or got no response.
    private func keep(_ operation: TableOperation, _ state: TableOperation.State) async throws {
        let change = try change(of: operation)
        try await storing { store in try change.unsent(state, store) }
    }

    private func refuse(
        _ operation: TableOperation,
        _ failure: TablesError,
        _ theirs: RemoteRow?,
        _ state: TableOperation.State
    ) async throws {
        let change = try change(of: operation)
        try await storing { store in try change.refused(failure, theirs, state, store) }
    }

    func change(of operation: TableOperation) throws(SyncError) -> QueueChange {
        QueueChange(operation, try context.declaration(operation.table))
    }

    private enum Resolved {
        case again(TableOperation)
        /// The conflict was resolved in favour of this row, and the local change is discarded.
        case settled(RemoteRow)
        case stays
    }

    private func resolve(
        _ operation: TableOperation,
        _ decision: ConflictResolution,
        _ theirs: RemoteRow?
    ) async throws -> Resolved {
        let change = try change(of: operation)
        switch decision {
        case .record: return .stays
        case .mine:
            let changed = try await storing { store in try change.forced(over: theirs, store) }
            context.watchers.changed(operation.table)
            return .again(changed)
        case .theirs: return .settled(theirs ?? change.absent)
        case .merged(let values):
            let changed = try await storing { store in try change.merged(values, over: theirs, store) }
            context.watchers.changed(operation.table)
            return .again(changed)
        case .delete:
            let changed = try await storing { store in try change.deleting(theirs, store) }
            context.watchers.changed(operation.table)
            return .again(changed)
        }
    }
}

struct RowPlace: Hashable {
    let table: String
    let id: RowID

    init(_ operation: TableOperation) {
        table = operation.table
        id = operation.itemID
    }
}
