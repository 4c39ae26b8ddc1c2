package import FlowModel
import Glibc
package import OAuth

extension StoreError {
    package enum Reason: Hashable, Sendable {
        // The operating system rejected these operations. `why` is the message of the operating system.
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

        case notADirectory(String)
        case notAFile(String)
        case exists(String)
        case foreignOwner(String, owner: UInt32, uid: UInt32)
        case openDirectory(String)
        case openFile(String)
        case tooManyBytes(String, most: Int)
        case noKey(String)
        case alteredKey(String, SecretAddition)
        // `by` is the pid of the process that is using the directory, or `nil` if the pid cannot be read.
        case inUse(String, by: Int32?)

        case noSeal(String)
        case changedBackup(String)
        case newerBackup(String)
        case earlierRestore(String)

        case notADatabase(String)
        case foreignDatabase(String)
        case unknownSchema(String)
        case olderSchema(String, version: Int)
        case newerSchema(String, version: Int, newest: Int)
        case wrongKey(String, expected: String, found: String)
        case damagedKeyCheck(String)

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

    package init(_ code: Code, _ reason: Reason) {
        self.init(code, reason.said)
    }

    package static func fromErrno(_ errno: CInt, _ reason: (_ why: String) -> Reason) -> StoreError {
        let code: Code =
            switch errno {
            // `EFBIG` means that the file size limit of the process has been reached (setrlimit(2)).
            case ENOSPC, EDQUOT, EFBIG: .full
            case EROFS: .readOnly
            case EACCES, EPERM: .permissions
            default: .unreadable
            }
        return StoreError(code, reason(String(cString: strerror(errno))))
    }
}

extension StoreError.Reason {
    package var said: EnglishText {
        switch self {
        case .cannotOpen(let path, let why):
            .init("Cannot open \(path): \(why)", "failure.store.cannotOpen", ["path": path, "why": why])
        case .cannotMake(let path, let why):
            .init("Cannot create \(path): \(why)", "failure.store.cannotMake", ["path": path, "why": why])
        case .cannotMakePrivate(let path, let why):
            .init("Cannot make \(path) private: \(why)", "failure.store.cannotMakePrivate", ["path": path, "why": why])
        case .cannotRead(let path, let why):
            .init("Cannot read \(path): \(why)", "failure.store.cannotRead", ["path": path, "why": why])
        case .cannotReadOrWrite(let path, let why):
            .init(
                "Cannot read or write \(path): \(why)",
                "failure.store.cannotReadOrWrite",
                ["path": path, "why": why]
            )
        case .cannotWrite(let path, let why):
            .init("Cannot write \(path): \(why)", "failure.store.cannotWrite", ["path": path, "why": why])
        case .cannotWriteIn(let path, let why):
            .init(
                "Cannot write to the directory \(path): \(why)",
                "failure.store.cannotWriteIn",
                ["path": path, "why": why]
            )
        case .cannotLock(let path, let why):
            .init("Cannot lock \(path): \(why)", "failure.store.cannotLock", ["path": path, "why": why])
        case .cannotMove(let path, let why):
            .init("Cannot move \(path): \(why)", "failure.store.cannotMove", ["path": path, "why": why])
        case .cannotRename(let path, let why):
            .init("Cannot rename \(path): \(why)", "failure.store.cannotRename", ["path": path, "why": why])
        case .cannotRemove(let path, let why):
            .init("Cannot remove \(path): \(why)", "failure.store.cannotRemove", ["path": path, "why": why])
        case .cannotSetAside(let path, let why):
            .init(
                "Cannot move \(path) out of the way: \(why)",
                "failure.store.cannotSetAside",
                ["path": path, "why": why]
            )

        case .notADirectory(let path):
            .init("\(path) is not a directory.", "failure.store.notADirectory", ["path": path])
        case .notAFile(let path): .init("\(path) is not a file.", "failure.store.notAFile", ["path": path])
        case .exists(let path): .init("\(path) already exists.", "failure.store.exists", ["path": path])
        case .foreignOwner(let path, let owner, let uid):
            .init(
                "\(path) belongs to uid \(owner), not to uid \(uid). Run the program as the owner, or change the owner with chown.",
                "failure.store.foreignOwner",
                ["path": path, "owner": owner, "uid": uid]
            )
        case .openDirectory(let path):
            .init(
                "Other users can read \(path); its mode must be 0700. Run: chmod 700 \(path)",
                "failure.store.openDirectory",
                ["path": path]
            )
        case .openFile(let path):
            .init(
                "Other users can read \(path); its mode must be 0600. Run: chmod 600 \(path)",
                "failure.store.openFile",
                ["path": path]
            )
        case .tooManyBytes(let path, let most):
            .init(
                "\(path) is larger than \(most) bytes.",
                "failure.tooManyBytes",
                ["path": path, "bytes": most]
            )
        case .noKey(let path):
            .init(
                "\(path) does not contain a key. A key is 32 bytes, or 43 characters of base64url.",
                "failure.store.noKey",
                ["path": path]
            )
        case .alteredKey(let path, let addition):
            .init("\(path) \(addition).", "failure.store.alteredKey", ["path": path, "problem": addition])
        case .inUse(let folder, let process?):
            .init(
                "Process \(process) is already using \(folder).",
                "failure.store.inUse",
                ["process": process, "folder": folder]
            )
        case .inUse(let folder, nil):
            .init(
                "Another process is already using \(folder).",
                "failure.store.inUse.unknown",
                ["folder": folder]
            )

        case .noSeal(let path):
            .init(
                "\(path) has no seal. It was not created by `tokenbroker backup`, or it was changed.",
                "failure.store.noSeal",
                ["path": path]
            )
        case .changedBackup(let path):
            .init(
                "\(path) was changed after it was created: its seal does not match. Use another backup.",
                "failure.store.changedBackup",
                ["path": path]
            )
        case .newerBackup(let path):
            .init(
                "\(path) was created by a newer version. Install that version.",
                "failure.store.newerBackup",
                ["path": path]
            )
        case .earlierRestore(let path):
            .init(
                "\(path) is left over from an earlier restore. Move this file to another directory first.",
                "failure.store.earlierRestore",
                ["path": path]
            )

        case .notADatabase(let path): .init("\(path) is not a database.", "failure.store.notADatabase", ["path": path])
        case .foreignDatabase(let path):
            .init("\(path) is the database of another program.", "failure.store.foreignDatabase", ["path": path])
        case .unknownSchema(let path):
            .init("The schema version of \(path) cannot be read.", "failure.store.unknownSchema", ["path": path])
        case .olderSchema(let path, let version):
            .init(
                "\(path) was written by a development version before 0.1.0 (schema \(version)). Only that version can open it. Nothing was changed.",
                "failure.store.olderSchema",
                ["path": path, "version": version]
            )
        case .newerSchema(let path, let version, let newest):
            .init(
                "\(path) was written by a newer version (schema \(version); this version supports up to \(newest)). Nothing was changed. Install the newer version.",
                "failure.store.newerSchema",
                ["path": path, "version": version, "newest": newest]
            )
        case .wrongKey(let path, let expected, let found):
            .init(
                "\(path) is encrypted with key \(expected), but the given key is \(found). Nothing was changed. Restore the right key.",
                "failure.store.wrongKey",
                ["path": path, "expected": expected, "found": found]
            )
        case .damagedKeyCheck(let path):
            .init(
                "The data that verifies the key of \(path) is damaged. Nothing was changed. Restore a backup.",
                "failure.store.damagedKeyCheck",
                ["path": path]
            )

        case .closed(let path): .init("\(path) has already been closed.", "failure.store.closed", ["path": path])
        case .busy(let path):
            .init(
                "Another process has kept \(path) locked for too long. Try again later.",
                "failure.store.busy",
                ["path": path]
            )
        case .diskFull(let path):
            .init(
                "The disk is full. \(path) was not changed. Free some space and try again.",
                "failure.store.diskFull",
                ["path": path]
            )
        case .sizeLimit(let path):
            .init(
                "The file size limit has been reached (ulimit -f). \(path) was not changed. Raise the limit.",
                "failure.store.sizeLimit",
                ["path": path]
            )
        case .readOnly(let path):
            .init(
                "\(path) is read-only. Make it writable.",
                "failure.store.readOnly",
                ["path": path]
            )
        case .volatile(let path):
            .init(
                "SQLite did not accept the setting that makes changes to \(path) durable.",
                "failure.store.volatile",
                ["path": path]
            )
        case .damaged(let path):
            .init(
                "\(path) is damaged.",
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
                "\(path) is damaged: \(column) of row \(row) of \(table) cannot be decrypted.",
                "failure.store.damagedValue",
                ["path": path, "column": column, "row": row, "table": table]
            )
        case .damagedRow(let path, let table):
            .init(
                "A row of \(table) in \(path) cannot be decrypted.",
                "failure.store.damagedRow",
                ["table": table, "path": path]
            )
        case .damagedRows(let path, let most):
            .init(
                "More than \(most) rows in \(path) cannot be decrypted.",
                "failure.store.damagedRows",
                ["most": most, "path": path]
            )
        case .wrongRow(let path):
            .init("A row in \(path) has the wrong type.", "failure.store.wrongRow", ["path": path])
        }
    }
}
