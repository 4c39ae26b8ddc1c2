import Foundation
import Tables
import TablesClient

/// Sends the operations of one table.
struct OperationSender: Sendable {
    let client: TablesClient
    let declaration: TableDeclaration

    private var table: RemoteTable { client.table(declaration.name) }

    /// Sends an operation: an insert by POST, an update by PATCH, a deletion by DELETE, the latter two with `If-Match`
    /// where the row's version is known.
    ///
    /// - Returns: The row as the server wrote it; nil for a deletion.
    func send(_ operation: TableOperation) async throws -> RemoteRow? {
        switch operation.kind {
        case .insert: return try await insert(operation)
        case .update: return try await update(operation)
        case .delete:
            try await delete(operation)
            return nil
        }
    }

    /// The row that the server has, where an answer names a conflict.
    ///
    /// - Returns: The row of the answer, or else the one that is looked up; nil only if the server says that it has none.
    /// - Throws: The failure of the look-up, which says nothing about the row.
    func theirs(_ failure: TablesError, _ operation: TableOperation) async throws -> RemoteRow? {
        if let row = row(failure, operation) { return row }
        do {
            return declaration.known(try await table.lookup(operation.itemID.text))
        } catch let error as TablesError where error.code == .notFound {
            return nil
        }
    }

    /// The row of an answer, if it is the operation's row; servers may spell its id in another case.
    private func row(_ failure: TablesError, _ operation: TableOperation) -> RemoteRow? {
        guard let row = failure.row, row.id.text.lowercased() == operation.itemID.text.lowercased() else { return nil }
        return declaration.known(row)
    }

    /// True if the server's row already is as the operation would make it: an earlier answer was lost, or somebody else
    /// did the same.
    func isDone(_ operation: TableOperation, by row: RemoteRow?) -> Bool {
        switch operation.kind {
        case .delete: return row?.isDeleted ?? false
        case .insert, .update:
            guard let row, !row.isDeleted else { return false }
            return changes(operation).allSatisfy { row.values[$0.key] ?? .null == $0.value }
        }
    }

    private func insert(_ operation: TableOperation) async throws -> RemoteRow {
        try await table.insert(
            operation.item.map { declaration.known($0.values) } ?? [:],
            id: operation.itemID.text,
            idempotencyKey: operation.key ?? UUID()
        )
    }

    private func delete(_ operation: TableOperation) async throws {
        guard operation.key != nil else {
            // Without its row nothing says which version the user deleted.
            let version: RowVersion? = if let item = operation.item { item.version } else { .never }
            return try await table.delete(operation.itemID.text, ifMatch: version)
        }
        // An insertion whose answer was lost may still arrive, so the deletion must follow the insertion. The server inserts
        // once for a key and answers a repeated request with the inserted version. So a change of another device is not
        // deleted.
        do {
            try await table.delete(try await insert(operation))
        } catch let error as TablesError where error.code == .conflict {
            guard let row = row(error, operation), !row.isDeleted, let item = operation.item,
                row.values.isSame(as: declaration.known(item.values))
            else { throw error }
            try await table.delete(row)
        } catch let error as TablesError where Self.isInsertRefused(error, operation) {
            // The server rejects the insertion. A row that this device has never seen is not deleted.
            let unseen = operation.item?.outdated(beside: nil).version
            try await table.delete(operation.itemID.text, ifMatch: unseen)
        }
    }

    /// Whether the API does not do an insertion, whatever became of its first request.
    private static func isInsertRefused(_ error: TablesError, _ operation: TableOperation) -> Bool {
        // A 404 of the insertion says nothing about the row.
        error.code == .notFound || PushFailure(error, of: operation, formerly: .attempted) == .refused(.pending)
    }

    private func update(_ operation: TableOperation) async throws -> RemoteRow {
        let (id, version) = (operation.itemID.text, operation.item?.version)
        do {
            return try await table.update(id, changes(operation), ifMatch: version)
        } catch let error as TablesError where error.row.map({ $0.isDeleted && $0.version == version }) ?? false {
            // The version is that of the deletion, so it was decided that the row goes on in spite of it.
            let revived = try await table.undelete(id, ifMatch: version)
            return try await table.update(id, changes(operation), ifMatch: revived.version)
        }
    }

    /// The columns whose values the operation brings: all of an insert, those that changed of an update.
    private func changes(_ operation: TableOperation) -> [String: TableValue] {
        let values = operation.item.map { declaration.known($0.values) } ?? [:]
        return OwnEdit(values, over: operation.kind == .update ? operation.base.map(declaration.known) : nil).columns
    }
}
