import FlowModel
import Storage
import Tables

extension SyncError {
    /// What is wrong with a change, a push, a pull, or the store of both.
    enum Reason: Hashable, Sendable {
        // A change of a row.
        case noRow(RowID)
        case exists, pendingOperation
        case row(TableProblem.Reason)

        // The context.
        case noTable(String)
        case noAPI, pendingOperations

        // A conflict that is settled.
        case otherRow, rowUnknown, operationGone, operationChanged

        // A push.
        case pushCancelled, noToken
        case refused(Int)
        case storeFailed(EnglishText)

        // A pull.
        case pullCancelled
        case pullWithSelection, pullWithCount, pullWithDeleted, pullWithOrder, pullWithTop, pullWithSkip
        case invalidQueryID(String)

        // The store.
        case othersSync, justMoved, valueDamaged, rowMissing
        case keyMissing(path: String)
        case rowDamaged(path: String)
    }
}

extension SyncError.Reason {
    /// The sentence, in English and as a text.
    var said: EnglishText {
        switch self {
        case .noRow(let id):
            .init("there is no row '\(id.text.prefix(80))' here", "failure.sync.noRow", ["id": id.text.prefix(80)])
        case .exists: .init("This item already exists.", "failure.sync.exists")
        case .pendingOperation:
            .init(
                "The requested operation is not allowed due to an already pending operation",
                "failure.sync.pendingOperation"
            )
        case .row(let reason): reason.said

        case .noTable(let name): .init("there is no table '\(name)' here", "failure.sync.noTable", ["name": name])
        case .noAPI: .init("there is no API to sync with", "failure.sync.noAPI")
        case .pendingOperations:
            .init("The table cannot be purged because it has pending operations", "failure.sync.pendingOperations")

        case .otherRow: .init("the item is another row than the operation's", "failure.sync.otherRow")
        case .rowUnknown: .init("no row is known for the operation", "failure.sync.rowUnknown")
        case .operationGone: .init("the operation is no longer in the queue", "failure.sync.operationGone")
        case .operationChanged:
            .init(
                "The operation has changed since this record. Read the records again.",
                "failure.sync.operationChanged"
            )

        case .pushCancelled: .init("the push was cancelled", "failure.sync.pushCancelled")
        case .noToken: .init("there is no token for the API", "failure.sync.noToken")
        case .refused(1): .init("one operation was refused or met a conflict", "failure.sync.refused", ["count": 1])
        case .refused(let count):
            .init("\(count) operations were refused or met a conflict", "failure.sync.refused", ["count": count])
        case .storeFailed(let reason):
            .init("the local store failed: \(reason.english)", "failure.sync.storeFailed", ["reason": reason.text])

        case .pullCancelled: .init("the pull was cancelled", "failure.sync.pullCancelled")
        case .pullWithSelection: .init("a pull cannot have a selection of columns", "failure.sync.pullWithSelection")
        case .pullWithCount: .init("a pull cannot have a count of all rows", "failure.sync.pullWithCount")
        case .pullWithDeleted: .init("a pull cannot have __includeDeleted", "failure.sync.pullWithDeleted")
        case .pullWithOrder: .init("a pull cannot have an order beside a query id", "failure.sync.pullWithOrder")
        case .pullWithTop: .init("a pull cannot have a top beside a query id", "failure.sync.pullWithTop")
        case .pullWithSkip: .init("a pull cannot have a skip beside a query id", "failure.sync.pullWithSkip")
        case .invalidQueryID(let id):
            .init(
                "a query id is a letter and at most 24 letters, digits, '-' and '_', not '\(id)'",
                "failure.sync.invalidQueryID",
                ["id": id]
            )

        case .othersSync: .init("another process syncs over this store for too long", "failure.sync.othersSync")
        case .justMoved: .init("the tasks kept here were just moved; run it again", "failure.sync.justMoved")
        case .valueDamaged: .init("a stored row or operation is damaged", "failure.sync.valueDamaged")
        case .rowMissing: .init("the row of a pending edit is missing", "failure.sync.rowMissing")
        case .keyMissing(let path):
            .init(
                "\(path) is sealed and no key was given; nothing was changed",
                "failure.sync.keyMissing",
                ["path": path]
            )
        case .rowDamaged(let path): .init("a row of \(path) does not open", "failure.sync.rowDamaged", ["path": path])
        }
    }
}

extension StoreError {
    /// The failure of a store of rows and operations.
    init(_ code: Code, _ reason: SyncError.Reason) {
        self.init(code, reason.said)
    }
}
