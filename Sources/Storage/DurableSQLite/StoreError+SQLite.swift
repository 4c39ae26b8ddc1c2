import FlowModel
import GRDB
import Glibc
public import Storage

extension StoreError {
    /// Converts an SQLite error to a store error with a message for the operator.
    public init(_ error: any Error, path: String) {
        switch error {
        case let error as StoreError: self = error
        case let error as DamagedRow:
            self.init(.corrupt, .damagedRow(path, table: error.column.table))
        case let error as DatabaseError where Self.meansFull(error):
            self.init(.full, .diskFull(path))
        case let error as DatabaseError where Self.meansLimit(error):
            self.init(.full, .sizeLimit(path))
        case let error as DatabaseError where Self.meansReadOnly(error, path):
            self.init(.readOnly, .readOnly(path))
        case let error as DatabaseError: self.init(Self.code(error.resultCode), Self.said(error, path))
        case is RowDecodingError: self.init(.corrupt, .wrongRow(path))
        default: self.init(.failed, "\(path): \(error)")
        }
    }

    /// Whether the disk is full or, with a different error code, the index of the write-ahead log could not grow.
    private static func meansFull(_ error: DatabaseError) -> Bool {
        error.resultCode == .SQLITE_FULL
            || (error.extendedResultCode == .SQLITE_IOERR_SHMSIZE && !isLimited)
    }

    /// Whether the file system became read-only, which SQLite reports only as a failed write.
    private static func meansReadOnly(_ error: DatabaseError, _ path: String) -> Bool {
        [.SQLITE_IOERR, .SQLITE_CANTOPEN].contains(error.resultCode) && access(path, W_OK) != 0 && errno == EROFS
    }

    /// Whether the file size limit was reached, which SQLite reports only as a failed write.
    private static func meansLimit(_ error: DatabaseError) -> Bool {
        isLimited && [.SQLITE_IOERR_WRITE, .SQLITE_IOERR_SHMSIZE].contains(error.extendedResultCode)
    }

    private static var isLimited: Bool {
        var limit = rlimit()
        let answer = getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        return answer == 0 && limit.rlim_cur < UInt64(Int64.max)
    }

    private static func code(_ result: ResultCode) -> Code {
        switch result {
        case .SQLITE_READONLY: .readOnly
        case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: .corrupt
        case .SQLITE_CANTOPEN: .unreadable
        case .SQLITE_PERM, .SQLITE_AUTH: .permissions
        default: .failed
        }
    }

    private static func said(_ error: DatabaseError, _ path: String) -> EnglishText {
        switch error.resultCode {
        case .SQLITE_READONLY: Reason.readOnly(path).said
        case .SQLITE_BUSY, .SQLITE_LOCKED: Reason.busy(path).said
        case .SQLITE_NOTADB: Reason.notADatabase(path).said
        case .SQLITE_CORRUPT: Reason.damaged(path).said
        default: EnglishText(exactly: "\(path): \(error.message ?? "SQLite error \(error.resultCode.rawValue)")")
        }
    }
}
