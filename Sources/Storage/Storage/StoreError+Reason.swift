package import FlowModel
import Glibc

extension StoreError {
    /// What is wrong with the file or the folder of a store.
    package enum Reason: Hashable, Sendable {
        // The system refuses it, and says why.
        case cannotOpen(String, why: String)
        case cannotMake(String, why: String)
        case cannotMakePrivate(String, why: String)
        case cannotRead(String, why: String)
        case cannotReadOrWrite(String, why: String)
        case cannotWrite(String, why: String)
        case cannotWriteIn(String, why: String)
        case cannotLock(String, why: String)
        case cannotMove(String, why: String)
        case cannotRename(String, why: String)
        case cannotRemove(String, why: String)
        case cannotSetAside(String, why: String)

        // A file or folder is not as it must be.
        case notADirectory(String)
        case notAFile(String)
        case exists(String)
        case foreignOwner(String, owner: UInt32, uid: UInt32)
        case openDirectory(String)
        case openFile(String)
        case tooManyBytes(String, most: Int)
        case noKey(String)
        // The process that has the folder; nil if its number cannot be read.
        case inUse(String, by: Int32?)

        // A backup cannot be restored.
        case noSeal(String)
        case changedBackup(String)
        case newerBackup(String)
        case earlierRestore(String)

        // A database is not one that may be opened.
        case notADatabase(String)
        case foreignDatabase(String)
        case unknownSchema(String)
        case olderSchema(String, version: Int)
        case newerSchema(String, version: Int, newest: Int)
        case wrongKey(String, expected: String, found: String)
        case damagedKeyCheck(String)

        // A database cannot be read or written.
        case closed(String)
        case busy(String)
        case diskFull(String)
        case sizeLimit(String)
        case readOnly(String)
        case volatile(String)
        case damaged(String)
        case damagedPart(String, what: String)
        case damagedValue(String, column: String, row: String, table: String)
        case damagedRow(String, table: String)
        case damagedRows(String, most: Int)
        case wrongRow(String)
    }

    /// A failure whose sentence the catalogs have.
    package init(_ code: Code, _ reason: Reason) {
        self.init(code, reason.said)
    }

    /// The error that `errno` stands for.
    ///
    /// - Parameters:
    ///   - errno: The number.
    ///   - reason: Makes the reason of the system's words.
    /// - Returns: The error.
    package static func fromErrno(_ errno: CInt, _ reason: (_ why: String) -> Reason) -> StoreError {
        let code: Code =
            switch errno {
            // The last is a limit for the size of files, see setrlimit(2).
            case ENOSPC, EDQUOT, EFBIG: .full
            case EROFS: .readOnly
            case EACCES, EPERM: .permissions
            default: .unreadable
            }
        return StoreError(code, reason(String(cString: strerror(errno))))
    }
}

extension StoreError.Reason {
    /// The sentence, in English and as a text.
    package var said: EnglishText {
        switch self {
        case .cannotOpen(let path, let why):
            .init("cannot open \(path): \(why)", "failure.store.cannotOpen", ["path": path, "why": why])
        case .cannotMake(let path, let why):
            .init("cannot make \(path): \(why)", "failure.store.cannotMake", ["path": path, "why": why])
        case .cannotMakePrivate(let path, let why):
            .init("cannot make \(path) private: \(why)", "failure.store.cannotMakePrivate", ["path": path, "why": why])
        case .cannotRead(let path, let why):
            .init("cannot read \(path): \(why)", "failure.store.cannotRead", ["path": path, "why": why])
        case .cannotReadOrWrite(let path, let why):
            .init(
                "cannot read or write \(path): \(why)",
                "failure.store.cannotReadOrWrite",
                ["path": path, "why": why]
            )
        case .cannotWrite(let path, let why):
            .init("cannot write \(path): \(why)", "failure.store.cannotWrite", ["path": path, "why": why])
        case .cannotWriteIn(let path, let why):
            .init("cannot write in \(path): \(why)", "failure.store.cannotWriteIn", ["path": path, "why": why])
        case .cannotLock(let path, let why):
            .init("cannot lock \(path): \(why)", "failure.store.cannotLock", ["path": path, "why": why])
        case .cannotMove(let path, let why):
            .init("cannot move \(path): \(why)", "failure.store.cannotMove", ["path": path, "why": why])
        case .cannotRename(let path, let why):
            .init("cannot rename \(path): \(why)", "failure.store.cannotRename", ["path": path, "why": why])
        case .cannotRemove(let path, let why):
            .init("cannot remove \(path): \(why)", "failure.store.cannotRemove", ["path": path, "why": why])
        case .cannotSetAside(let path, let why):
            .init("cannot set \(path) aside: \(why)", "failure.store.cannotSetAside", ["path": path, "why": why])

        case .notADirectory(let path):
            .init("\(path) is not a directory", "failure.store.notADirectory", ["path": path])
        case .notAFile(let path): .init("\(path) is not a file", "failure.store.notAFile", ["path": path])
        case .exists(let path): .init("\(path) is there already", "failure.store.exists", ["path": path])
        case .foreignOwner(let path, let owner, let uid):
            .init(
                "\(path) belongs to uid \(owner), not to uid \(uid)",
                "failure.store.foreignOwner",
                ["path": path, "owner": owner, "uid": uid]
            )
        case .openDirectory(let path):
            .init(
                "others can read \(path), its mode must be 0700; run: chmod 700 \(path)",
                "failure.store.openDirectory",
                ["path": path]
            )
        case .openFile(let path):
            .init(
                "others can read \(path), its mode must be 0600; run: chmod 600 \(path)",
                "failure.store.openFile",
                ["path": path]
            )
        case .tooManyBytes(let path, let most):
            .init(
                "\(path) has more than \(most) bytes",
                "failure.tooManyBytes",
                ["path": path, "bytes": most]
            )
        case .noKey(let path):
            .init(
                "\(path) holds no key: 32 bytes, or 43 characters of base64url, are needed",
                "failure.store.noKey",
                ["path": path]
            )
        case .inUse(let folder, let process?):
            .init(
                "process \(process) uses \(folder) already",
                "failure.store.inUse",
                ["process": process, "folder": folder]
            )
        case .inUse(let folder, nil):
            .init(
                "another process uses \(folder) already",
                "failure.store.inUse.unknown",
                ["folder": folder]
            )

        case .noSeal(let path):
            .init(
                "\(path) has no seal: it is not a backup of `tokenbroker backup`, or somebody changed it",
                "failure.store.noSeal",
                ["path": path]
            )
        case .changedBackup(let path):
            .init(
                "\(path) was changed after it was made: its seal does not fit",
                "failure.store.changedBackup",
                ["path": path]
            )
        case .newerBackup(let path):
            .init(
                "\(path) was made by a newer version",
                "failure.store.newerBackup",
                ["path": path]
            )
        case .earlierRestore(let path):
            .init(
                "\(path) is there from an earlier restore; move it away first",
                "failure.store.earlierRestore",
                ["path": path]
            )

        case .notADatabase(let path): .init("\(path) is no database", "failure.store.notADatabase", ["path": path])
        case .foreignDatabase(let path):
            .init("\(path) is another program's database", "failure.store.foreignDatabase", ["path": path])
        case .unknownSchema(let path):
            .init("the schema version of \(path) cannot be read", "failure.store.unknownSchema", ["path": path])
        case .olderSchema(let path, let version):
            .init(
                "\(path) was written by a development version before 0.1.0 (schema \(version)), which alone opens it; nothing was changed",
                "failure.store.olderSchema",
                ["path": path, "version": version]
            )
        case .newerSchema(let path, let version, let newest):
            .init(
                "\(path) was written by a newer version (schema \(version), this one knows \(newest)); nothing was changed",
                "failure.store.newerSchema",
                ["path": path, "version": version, "newest": newest]
            )
        case .wrongKey(let path, let expected, let found):
            .init(
                "\(path) is sealed by key \(expected), but the key given is \(found); nothing was changed",
                "failure.store.wrongKey",
                ["path": path, "expected": expected, "found": found]
            )
        case .damagedKeyCheck(let path):
            .init(
                "the key check of \(path) is damaged; nothing was changed",
                "failure.store.damagedKeyCheck",
                ["path": path]
            )

        case .closed(let path): .init("\(path) is closed", "failure.store.closed", ["path": path])
        case .busy(let path): .init("another process holds \(path) for too long", "failure.store.busy", ["path": path])
        case .diskFull(let path):
            .init("the disk is full; \(path) was not changed", "failure.store.diskFull", ["path": path])
        case .sizeLimit(let path):
            .init(
                "files may not grow any further (ulimit -f); \(path) was not changed",
                "failure.store.sizeLimit",
                ["path": path]
            )
        case .readOnly(let path):
            .init(
                "\(path) cannot be written",
                "failure.store.readOnly",
                ["path": path]
            )
        case .volatile(let path):
            .init(
                "\(path) does not wait for the disk",
                "failure.store.volatile",
                ["path": path]
            )
        case .damaged(let path):
            .init(
                "\(path) is damaged",
                "failure.store.damaged",
                ["path": path]
            )
        case .damagedPart(let path, let what):
            .init(
                "\(path) is damaged: \(what)",
                "failure.store.damagedPart",
                ["path": path, "what": what]
            )
        case .damagedValue(let path, let column, let row, let table):
            .init(
                "\(path) is damaged: \(column) of row \(row) of \(table) does not open",
                "failure.store.damagedValue",
                ["path": path, "column": column, "row": row, "table": table]
            )
        case .damagedRow(let path, let table):
            .init(
                "a row of \(table) in \(path) does not open",
                "failure.store.damagedRow",
                ["table": table, "path": path]
            )
        case .damagedRows(let path, let most):
            .init(
                "more than \(most) rows of \(path) do not open",
                "failure.store.damagedRows",
                ["most": most, "path": path]
            )
        case .wrongRow(let path): .init("a row in \(path) is not of its type", "failure.store.wrongRow", ["path": path])
        }
    }
}
