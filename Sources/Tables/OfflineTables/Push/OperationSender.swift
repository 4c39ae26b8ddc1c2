import Foundation
import Tables
import TablesClient

struct OperationSender: Sendable {
    let client: TablesClient
    let declaration: TableDeclaration

    private var table: RemoteTable { client.table(declaration.name) }

    /// Sends an operation, with `If-Match` if the version is known, and returns the stored row (`nil` for a deletion).
    func send(_ operation: TableOperation) async throws -> RemoteRow? {
        switch operation.kind {
        case .insert: return try await insert(operation)
        case .update: return try await update(operation)
        case .delete:
            try await delete(operation)
            return nil
        }
    }

    /// Returns the server's row in a conflict, or `nil` if the server reports that the row does not exist.
    ///
    /// If the response does not contain the row, this method requests the row.
    func theirs(_ failure: TablesError, _ operation: TableOperation) async throws -> RemoteRow? {
        if let row = row(failure, operation) { return row }
        do {
            return declaration.known(try await table.lookup(operation.itemID.text))
        } catch let error as TablesError where error.code == .notFound {
            return nil
        }
    }

    /// Returns the row in the response if its id, compared case-insensitively, is the operation's row id.
    private func row(_ failure: TablesError, _ operation: TableOperation) -> RemoteRow? {
        guard let row = failure.row, row.id.text.lowercased() == operation.itemID.text.lowercased() else { return nil }
        return declaration.known(row)
    }

    /// Returns whether the server's row already has the operation's values, for example because a response was lost.
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
            // Without a row, the version that the user deleted is unknown, so the server must report a conflict.
            let version: RowVersion? = if let item = operation.item { item.version } else { .never }
            return try await table.delete(operation.itemID.text, ifMatch: version)
        }
        // An insert whose response was lost is repeated before the deletion. The server inserts only once per key, and
        // returns the inserted version, so another device's change is not deleted.
        do {
            try await table.delete(try await insert(operation))
        } catch let error as TablesError where error.code == .conflict {
            guard let row = row(error, operation), !row.isDeleted, let item = operation.item,
                row.values.isSame(as: declaration.known(item.values))
            else { throw error }
            try await table.delete(row)
        } catch let error as TablesError where Self.isInsertRefused(error, operation) {
            // The server rejected the insert. A row that this device has never seen must not be deleted.
            let unseen = operation.item?.outdated(beside: nil).version
            try await table.delete(operation.itemID.text, ifMatch: unseen)
        }
    }

    /// Returns whether the error permanently rejects an insert that is sent again because its first response was lost.
    private static func isInsertRefused(_ error: TablesError, _ operation: TableOperation) -> Bool {
        // For a deletion, `PushFailure` considers a 404 response a success, but this response is to the insert.
        error.code == .notFound || PushFailure(error, of: operation, formerly: .attempted) == .refused(.pending)
    }

    private func update(_ operation: TableOperation) async throws -> RemoteRow {
        let (id, version) = (operation.itemID.text, operation.item?.version)
        do {
            return try await table.update(id, changes(operation), ifMatch: version)
        } catch let error as TablesError where error.row.map({ $0.isDeleted && $0.version == version }) ?? false {
            // The update is based on the tombstone's version, so the user decided to restore the row.
            let revived = try await table.undelete(id, ifMatch: version)
            return try await table.update(id, changes(operation), ifMatch: revived.version)
        }
    }

    /// Returns all columns of an insert, or only the changed columns of an update.
    private func changes(_ operation: TableOperation) -> [String: TableValue] {
        let values = operation.item.map { declaration.known($0.values) } ?? [:]
        return OwnEdit(values, over: operation.kind == .update ? operation.base.map(declaration.known) : nil).columns
    }
}
