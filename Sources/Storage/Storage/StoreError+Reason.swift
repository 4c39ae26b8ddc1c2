package import FlowModel

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

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
            EnglishText("cannot open \(path): \(why)", Text("failure.store.cannotOpen", ["path": path, "why": why]))
        case .cannotMake(let path, let why):
            EnglishText("cannot make \(path): \(why)", Text("failure.store.cannotMake", ["path": path, "why": why]))
        case .cannotMakePrivate(let path, let why):
            EnglishText(
                "cannot make \(path) private: \(why)",
                Text("failure.store.cannotMakePrivate", ["path": path, "why": why])
            )
        case .cannotRead(let path, let why):
            EnglishText("cannot read \(path): \(why)", Text("failure.store.cannotRead", ["path": path, "why": why]))
        case .cannotReadOrWrite(let path, let why):
            EnglishText(
                "cannot read or write \(path): \(why)",
                Text("failure.store.cannotReadOrWrite", ["path": path, "why": why])
            )
        case .cannotWrite(let path, let why):
            EnglishText("cannot write \(path): \(why)", Text("failure.store.cannotWrite", ["path": path, "why": why]))
        case .cannotWriteIn(let path, let why):
            EnglishText(
                "cannot write in \(path): \(why)",
                Text("failure.store.cannotWriteIn", ["path": path, "why": why])
            )
        case .cannotLock(let path, let why):
            EnglishText("cannot lock \(path): \(why)", Text("failure.store.cannotLock", ["path": path, "why": why]))
        case .cannotMove(let path, let why):
            EnglishText("cannot move \(path): \(why)", Text("failure.store.cannotMove", ["path": path, "why": why]))
        case .cannotRename(let path, let why):
            EnglishText(
                "cannot rename \(path): \(why)",
                Text("failure.store.cannotRename", ["path": path, "why": why])
            )
        case .cannotRemove(let path, let why):
            EnglishText(
                "cannot remove \(path): \(why)",
                Text("failure.store.cannotRemove", ["path": path, "why": why])
            )
        case .cannotSetAside(let path, let why):
            EnglishText(
                "cannot set \(path) aside: \(why)",
                Text("failure.store.cannotSetAside", ["path": path, "why": why])
            )

        case .notADirectory(let path):
            EnglishText("\(path) is not a directory", Text("failure.store.notADirectory", ["path": path]))
        case .notAFile(let path): EnglishText("\(path) is not a file", Text("failure.store.notAFile", ["path": path]))
        case .exists(let path): EnglishText("\(path) is there already", Text("failure.store.exists", ["path": path]))
        case .foreignOwner(let path, let owner, let uid):
            EnglishText(
                "\(path) belongs to uid \(owner), not to uid \(uid)",
                Text("failure.store.foreignOwner", ["path": path, "owner": owner, "uid": uid])
            )
        case .openDirectory(let path):
            EnglishText(
                "others can read \(path), its mode must be 0700; run: chmod 700 \(path)",
                Text("failure.store.openDirectory", ["path": path])
            )
        case .openFile(let path):
            EnglishText(
                "others can read \(path), its mode must be 0600; run: chmod 600 \(path)",
                Text("failure.store.openFile", ["path": path])
            )
        case .tooManyBytes(let path, let most):
            EnglishText(
                "\(path) has more than \(most) bytes",
                Text("failure.tooManyBytes", ["path": path, "bytes": most])
            )
        case .noKey(let path):
            EnglishText(
                "\(path) holds no key: 32 bytes, or 43 characters of base64url, are needed",
                Text("failure.store.noKey", ["path": path])
            )
        case .inUse(let folder, let process?):
            EnglishText(
                "process \(process) uses \(folder) already",
                Text("failure.store.inUse", ["process": process, "folder": folder])
            )
        case .inUse(let folder, nil):
            EnglishText(
                "another process uses \(folder) already",
                Text("failure.store.inUse.unknown", ["folder": folder])
            )

        case .noSeal(let path):
            EnglishText(
                "\(path) has no seal: it is not a backup of `tokenbroker backup`, or somebody changed it",
                Text("failure.store.noSeal", ["path": path])
            )
        case .changedBackup(let path):
            EnglishText(
                "\(path) was changed after it was made: its seal does not fit",
                Text("failure.store.changedBackup", ["path": path])
            )
        case .newerBackup(let path):
            EnglishText("\(path) was made by a newer version", Text("failure.store.newerBackup", ["path": path]))
        case .earlierRestore(let path):
            EnglishText(
                "\(path) is there from an earlier restore; move it away first",
                Text("failure.store.earlierRestore", ["path": path])
            )

        case .notADatabase(let path):
            EnglishText("\(path) is no database", Text("failure.store.notADatabase", ["path": path]))
        case .foreignDatabase(let path):
            EnglishText("\(path) is another program's database", Text("failure.store.foreignDatabase", ["path": path]))
        case .unknownSchema(let path):
            EnglishText(
                "the schema version of \(path) cannot be read",
                Text("failure.store.unknownSchema", ["path": path])
            )
        case .olderSchema(let path, let version):
            EnglishText(
                "\(path) was written by a development version before 0.1.0 (schema \(version)), which alone opens it; nothing was changed",
                Text("failure.store.olderSchema", ["path": path, "version": version])
            )
        case .newerSchema(let path, let version, let newest):
            EnglishText(
                "\(path) was written by a newer version (schema \(version), this one knows \(newest)); nothing was changed",
                Text("failure.store.newerSchema", ["path": path, "version": version, "newest": newest])
            )
        case .wrongKey(let path, let expected, let found):
            EnglishText(
                "\(path) is sealed by key \(expected), but the key given is \(found); nothing was changed",
                Text("failure.store.wrongKey", ["path": path, "expected": expected, "found": found])
            )
        case .damagedKeyCheck(let path):
            EnglishText(
                "the key check of \(path) is damaged; nothing was changed",
                Text("failure.store.damagedKeyCheck", ["path": path])
            )

        case .closed(let path): EnglishText("\(path) is closed", Text("failure.store.closed", ["path": path]))
        case .busy(let path):
            EnglishText("another process holds \(path) for too long", Text("failure.store.busy", ["path": path]))
        case .diskFull(let path):
            EnglishText("the disk is full; \(path) was not changed", Text("failure.store.diskFull", ["path": path]))
        case .sizeLimit(let path):
            EnglishText(
                "files may not grow any further (ulimit -f); \(path) was not changed",
                Text("failure.store.sizeLimit", ["path": path])
            )
        case .readOnly(let path):
            EnglishText("\(path) cannot be written", Text("failure.store.readOnly", ["path": path]))
        case .volatile(let path):
            EnglishText("\(path) does not wait for the disk", Text("failure.store.volatile", ["path": path]))
        case .damaged(let path): EnglishText("\(path) is damaged", Text("failure.store.damaged", ["path": path]))
        case .damagedPart(let path, let what):
            EnglishText(
                "\(path) is damaged: \(what)",
                Text("failure.store.damagedPart", ["path": path, "what": what])
            )
        case .damagedValue(let path, let column, let row, let table):
            EnglishText(
                "\(path) is damaged: \(column) of row \(row) of \(table) does not open",
                Text("failure.store.damagedValue", ["path": path, "column": column, "row": row, "table": table])
            )
        case .damagedRow(let path, let table):
            EnglishText(
                "a row of \(table) in \(path) does not open",
                Text("failure.store.damagedRow", ["table": table, "path": path])
            )
        case .damagedRows(let path, let most):
            EnglishText(
                "more than \(most) rows of \(path) do not open",
                Text("failure.store.damagedRows", ["most": most, "path": path])
            )
        case .wrongRow(let path):
            EnglishText("a row in \(path) is not of its type", Text("failure.store.wrongRow", ["path": path]))
        }
    }
}
