import FlowModel
import Storage
import Tables

extension SyncError {
    enum Reason: Hashable, Sendable {
        case noRow(RowID)
        case exists, pendingOperation
        case row(TableProblem.Reason)

        case noTable(String)
        case noAPI, pendingOperations

        case otherRow, rowUnknown, operationGone, operationChanged

        case pushCancelled, noToken
        case refused(Int)
        case storeFailed(EnglishText)

        case pullCancelled
        case endlessPull(Int)
        case pullWithSelection, pullWithCount, pullWithDeleted, pullWithOrder, pullWithTop, pullWithSkip
        case invalidQueryID(String)

        case othersSync, justMoved, valueDamaged, rowMissing
        case keyMissing(path: String)
        case rowDamaged(path: String)
    }
}

extension SyncError.Reason {
    var said: EnglishText {
        switch self {
        case .noRow(let id):
            .init(
                "There is no row '\(id.text.prefix(80))' in the local store.",
                "failure.sync.noRow",
                ["id": id.text.prefix(80)]
            )
        case .exists: .init("This item already exists.", "failure.sync.exists")
        case .pendingOperation:
            .init(
                "The requested operation is not allowed because another operation is already pending",
                "failure.sync.pendingOperation"
            )
        case .row(let reason): reason.said

        case .noTable(let name):
            .init("There is no table '\(name)' in the local store.", "failure.sync.noTable", ["name": name])
        case .noAPI: .init("No API is configured for synchronization.", "failure.sync.noAPI")
        case .pendingOperations:
            .init("The table cannot be purged because it has pending operations", "failure.sync.pendingOperations")

        case .otherRow: .init("The item has a different id than the operation's row.", "failure.sync.otherRow")
        case .rowUnknown: .init("The operation refers to an unknown row.", "failure.sync.rowUnknown")
        case .operationGone: .init("The operation is no longer in the queue.", "failure.sync.operationGone")
        case .operationChanged:
            .init(
                "The operation has changed since it was read. Read the operations again.",
                "failure.sync.operationChanged"
            )

        case .pushCancelled: .init("The push was cancelled.", "failure.sync.pushCancelled")
        case .noToken: .init("No token for the API is available. Sign in.", "failure.sync.noToken")
        case .refused(1): .init("1 operation was rejected or has a conflict.", "failure.sync.refused", ["count": 1])
        case .refused(let count):
            .init("\(count) operations were rejected or have conflicts.", "failure.sync.refused", ["count": count])
        case .storeFailed(let reason):
            .init("The local store failed: \(reason.english)", "failure.sync.storeFailed", ["reason": reason.text])

        case .pullCancelled: .init("The pull was cancelled.", "failure.sync.pullCancelled")
        case .endlessPull(let most):
            .init(
                "The API sent more than \(most) pages, so the pull was stopped. Received rows are stored. Contact the operator of the API.",
                "failure.sync.endlessPull",
                ["most": most]
            )
        case .pullWithSelection: .init("A pull must not select columns.", "failure.sync.pullWithSelection")
        case .pullWithCount: .init("A pull must not request the total number of rows.", "failure.sync.pullWithCount")
        case .pullWithDeleted: .init("A pull must not set __includeDeleted.", "failure.sync.pullWithDeleted")
        case .pullWithOrder:
            .init("A pull with a query id must not specify a sort order.", "failure.sync.pullWithOrder")
        case .pullWithTop:
            .init(
                "A pull with a query id must not specify a maximum number of rows ($top).",
                "failure.sync.pullWithTop"
            )
        case .pullWithSkip:
            .init(
                "A pull with a query id must not specify a number of rows to skip ($skip).",
                "failure.sync.pullWithSkip"
            )
        case .invalidQueryID(let id):
            .init(
                "'\(id)' is not a valid query id. A query id must be a letter followed by at most 24 letters, digits, '-' or '_'.",
                "failure.sync.invalidQueryID",
                ["id": id]
            )

        case .othersSync:
            .init("Another process is still synchronizing this store. Try again later.", "failure.sync.othersSync")
        case .justMoved:
            .init("The file with the stored tasks was just moved. Run the command again.", "failure.sync.justMoved")
        case .valueDamaged: .init("A stored row or operation is damaged.", "failure.sync.valueDamaged")
        case .rowMissing: .init("The row for a pending edit is missing.", "failure.sync.rowMissing")
        case .keyMissing(let path):
            .init(
                "\(path) is encrypted, and no key was given. Nothing was changed.",
                "failure.sync.keyMissing",
                ["path": path]
            )
        case .rowDamaged(let path):
            .init("A row in \(path) cannot be decrypted.", "failure.sync.rowDamaged", ["path": path])
        }
    }
}

extension StoreError {
    init(_ code: Code, _ reason: SyncError.Reason) {
        self.init(code, reason.said)
    }
}
