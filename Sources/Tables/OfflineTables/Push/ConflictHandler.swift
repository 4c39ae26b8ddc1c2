public import Tables
public import TablesClient

/// Two sides have changed one row.
public struct SyncConflict: Sendable {
    /// The operation that met the conflict.
    public let operation: TableOperation
    /// The row here, as it was sent or as it was deleted.
    public let mine: RemoteRow?
    /// The row as the server has it; nil if it has none any more.
    public let theirs: RemoteRow?
    /// The values that both sides began with, as far as they are known.
    public let base: [String: TableValue]?
    /// The status of the answer: 404, 409 or 412.
    public let statusCode: Int

    /// The columns that the user's own edit sets, with their values; those of a deletion are what it deletes.
    public var edit: [String: TableValue] { OwnEdit(mine?.values ?? [:], over: base).columns }
}

/// The decision of a conflict.
public enum ConflictResolution: Hashable, Sendable {
    /// Record it; both sides stay as they are until it is resolved.
    case record
    /// The change here is done over the server's row.
    case mine
    /// The server's row takes the place of the one here.
    case theirs
    /// These values take the place of both.
    case merged([String: TableValue])
    /// The row is deleted on both sides.
    case delete
}

/// Decides conflicts while a push runs; asked again, at most ``limit`` times, if the server changed meanwhile.
public struct ConflictHandler: Sendable {
    /// Most decisions for one operation in one push.
    public static let limit = 5

    let decide: @Sendable (SyncConflict) async throws -> ConflictResolution

    /// A handler of a program's own; one that throws has not decided.
    public init(_ decide: @escaping @Sendable (SyncConflict) async throws -> ConflictResolution) {
        self.decide = decide
    }

    /// Records every conflict.
    public static let record = ConflictHandler { _ in .record }
    /// The change here always wins.
    public static let mine = ConflictHandler { _ in .mine }
    /// The server always wins.
    public static let theirs = ConflictHandler { _ in .theirs }
    /// Each column keeps the side that changed it; where both changed one to different values, or one side deleted the
    /// row, the conflict is recorded.
    public static let fieldByField = ConflictHandler { $0.merged.map { .merged($0) } ?? .record }
}

extension SyncConflict {
    /// The columns of both sides together; nil if one column has two new values, or there is nothing to merge.
    var merged: [String: TableValue]? {
        guard operation.kind != .delete, let mine, let theirs, !theirs.isDeleted, let base else { return nil }
        let edit = OwnEdit(mine.values, over: base)
        return edit.fits(theirs.values, base: base) ? edit.made(over: theirs.values) : nil
    }
}
