public import Tables
public import TablesClient

/// A row that was changed both locally and on the server.
public struct SyncConflict: Sendable {
    /// The operation in conflict.
    public let operation: TableOperation
    /// The local row as it was sent or deleted, or `nil` if it is unknown.
    public let mine: RemoteRow?
    /// The row on the server, or `nil` if the server no longer has the row.
    public let theirs: RemoteRow?
    /// The values before either change, or `nil` if they are unknown.
    public let base: [String: TableValue]?
    /// The HTTP status of the response, which is 404, 409 or 412.
    public let statusCode: Int

    /// The new value of each column that the user's edit sets, or the deleted values if the edit is a deletion.
    public var edit: [String: TableValue] { OwnEdit(mine?.values ?? [:], over: base).columns }
}

/// How to resolve a conflict.
public enum ConflictResolution: Hashable, Sendable {
    /// Record the conflict for the user, and leave both rows unchanged until the conflict is resolved.
    case record
    /// Apply the local change to the server's row.
    case mine
    /// Replace the local row with the server's row.
    case theirs
    /// Replace the values of both rows with these values.
    case merged([String: TableValue])
    /// Delete both the local row and the server's row.
    case delete
}

/// Resolves conflicts during a push.
///
/// If the server's row changes before a resolution is applied, the handler is called again.
public struct ConflictHandler: Sendable {
    /// The maximum number of calls for one operation in one push.
    public static let limit = 5

    let decide: @Sendable (SyncConflict) async throws -> ConflictResolution

    /// Creates a handler from a closure, and records the conflict if the closure throws.
    public init(_ decide: @escaping @Sendable (SyncConflict) async throws -> ConflictResolution) {
        self.decide = decide
    }

    /// Records every conflict.
    public static let record = ConflictHandler { _ in .record }
    /// Always chooses the local change.
    public static let mine = ConflictHandler { _ in .mine }
    /// Always chooses the server's row.
    public static let theirs = ConflictHandler { _ in .theirs }
    /// Merges the rows column by column, or records the conflict if a column has two new values or a row was deleted.
    public static let fieldByField = ConflictHandler { $0.merged.map { .merged($0) } ?? .record }
}

extension SyncConflict {
    /// The merged columns, or `nil` if a column has two different new values or there is nothing to merge.
    var merged: [String: TableValue]? {
        guard operation.kind != .delete, let mine, let theirs, !theirs.isDeleted, let base else { return nil }
        let edit = OwnEdit(mine.values, over: base)
        return edit.fits(theirs.values, base: base) ? edit.made(over: theirs.values) : nil
    }
}
