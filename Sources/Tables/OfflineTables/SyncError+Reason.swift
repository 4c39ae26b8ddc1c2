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
            EnglishText(
                "there is no row '\(id.text.prefix(80))' here",
                Text("failure.sync.noRow", ["id": id.text.prefix(80)])
            )
        case .exists: EnglishText("This item already exists.", Text("failure.sync.exists"))
        case .pendingOperation:
            EnglishText(
                "The requested operation is not allowed due to an already pending operation",
                Text("failure.sync.pendingOperation")
            )
        case .row(let reason): reason.said

        case .noTable(let name):
            EnglishText("there is no table '\(name)' here", Text("failure.sync.noTable", ["name": name]))
        case .noAPI: EnglishText("there is no API to sync with", Text("failure.sync.noAPI"))
        case .pendingOperations:
            EnglishText(
                "The table cannot be purged because it has pending operations",
                Text("failure.sync.pendingOperations")
            )

        case .otherRow:
            EnglishText("the item is another row than the operation's", Text("failure.sync.otherRow"))
        case .rowUnknown: EnglishText("no row is known for the operation", Text("failure.sync.rowUnknown"))
        case .operationGone:
            EnglishText("the operation is no longer in the queue", Text("failure.sync.operationGone"))
        case .operationChanged:
            EnglishText(
                "The operation has changed since this record. Read the records again.",
                Text("failure.sync.operationChanged")
            )

        case .pushCancelled: EnglishText("the push was cancelled", Text("failure.sync.pushCancelled"))
        case .noToken: EnglishText("there is no token for the API", Text("failure.sync.noToken"))
        case .refused(1):
            EnglishText("one operation was refused or met a conflict", Text("failure.sync.refused", ["count": 1]))
        case .refused(let count):
            EnglishText(
                "\(count) operations were refused or met a conflict",
                Text("failure.sync.refused", ["count": count])
            )
        case .storeFailed(let reason):
            EnglishText(
                "the local store failed: \(reason.english)",
                Text("failure.sync.storeFailed", ["reason": reason.text])
            )

        case .pullCancelled: EnglishText("the pull was cancelled", Text("failure.sync.pullCancelled"))
        case .pullWithSelection:
            EnglishText("a pull cannot have a selection of columns", Text("failure.sync.pullWithSelection"))
        case .pullWithCount: EnglishText("a pull cannot have a count of all rows", Text("failure.sync.pullWithCount"))
        case .pullWithDeleted: EnglishText("a pull cannot have __includeDeleted", Text("failure.sync.pullWithDeleted"))
        case .pullWithOrder:
            EnglishText("a pull cannot have an order beside a query id", Text("failure.sync.pullWithOrder"))
        case .pullWithTop: EnglishText("a pull cannot have a top beside a query id", Text("failure.sync.pullWithTop"))
        case .pullWithSkip:
            EnglishText("a pull cannot have a skip beside a query id", Text("failure.sync.pullWithSkip"))
        case .invalidQueryID(let id):
            EnglishText(
                "a query id is a letter and at most 24 letters, digits, '-' and '_', not '\(id)'",
                Text("failure.sync.invalidQueryID", ["id": id])
            )

        case .othersSync:
            EnglishText("another process syncs over this store for too long", Text("failure.sync.othersSync"))
        case .justMoved:
            EnglishText("the tasks kept here were just moved; run it again", Text("failure.sync.justMoved"))
        case .valueDamaged:
            EnglishText("a stored row or operation is damaged", Text("failure.sync.valueDamaged"))
        case .rowMissing: EnglishText("the row of a pending edit is missing", Text("failure.sync.rowMissing"))
        case .keyMissing(let path):
            EnglishText(
                "\(path) is sealed and no key was given; nothing was changed",
                Text("failure.sync.keyMissing", ["path": path])
            )
        case .rowDamaged(let path):
            EnglishText("a row of \(path) does not open", Text("failure.sync.rowDamaged", ["path": path]))
        }
    }
}

extension StoreError {
    /// The failure of a store of rows and operations.
    init(_ code: Code, _ reason: SyncError.Reason) {
        self.init(code, reason.said)
    }
}
