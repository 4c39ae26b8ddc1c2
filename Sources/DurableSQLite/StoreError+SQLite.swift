import GRDB
public import Storage

extension StoreError {
    /// What an error of SQLite means to who operates the store.
    ///
    /// - Parameters:
    ///   - error: What was thrown.
    ///   - path: The database.
    public init(_ error: any Error, path: String) {
        switch error {
        case let error as StoreError: self = error
        case let error as DamagedRow:
            self.init(.corrupt, "a row of \(error.column.table) in \(path) does not open")
        case let error as DatabaseError: self.init(Self.code(error.resultCode), Self.text(error, path))
        case is RowDecodingError: self.init(.corrupt, "a row in \(path) is not of its type")
        default: self.init(.failed, "\(path): \(error)")
        }
    }

    private static func code(_ result: ResultCode) -> Code {
        switch result {
        case .SQLITE_FULL: .full
        case .SQLITE_READONLY: .readOnly
        case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: .corrupt
        case .SQLITE_CANTOPEN: .unreadable
        case .SQLITE_PERM, .SQLITE_AUTH: .permissions
        default: .failed
        }
    }

    private static func text(_ error: DatabaseError, _ path: String) -> String {
        switch error.resultCode {
        case .SQLITE_FULL: "the disk is full; \(path) was not changed"
        case .SQLITE_READONLY: "\(path) cannot be written"
        case .SQLITE_BUSY, .SQLITE_LOCKED: "another process holds \(path) for too long"
        case .SQLITE_NOTADB: "\(path) is no database"
        case .SQLITE_CORRUPT: "\(path) is damaged"
        default: "\(path): \(error.message ?? "SQLite error \(error.resultCode.rawValue)")"
        }
    }
}
