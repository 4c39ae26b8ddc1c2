import CLinux
import GRDB
import GRDBSQLite

/// Linear-time replacements for SQLite's `instr` and `replace`, whose work counts against the ``QueryBudget``.
///
/// The built-in functions can take minutes in a single step that cannot be interrupted.
enum TextFunctions {
    static func add(_ db: Database) throws {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS
        let functions = [("instr", Int32(2), instr), ("replace", 3, replace)]
        for (name, arity, body) in functions {
            let code = sqlite3_create_function_v2(
                db.sqliteConnection,
                name,
                arity,
                flags,
                nil,
                body,
                nil,
                nil,
                nil
            )
            guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        }
    }

    private typealias Body = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

    /// `instr` returns the position of a substring, counted in code points from 1, or 0 if there is none.
    private static let instr: Body = { context, _, values in
        guard let values, let text = Text(values[0]), let part = Text(values[1]) else { return }
        guard QueryBudget.allows(text.count, perStep: QueryBudget.searchedPerStep) else {
            return sqlite3_result_error_code(context, SQLITE_INTERRUPT)
        }
        guard let place = text.place(of: part, from: 0) else { return sqlite3_result_int64(context, 0) }
        sqlite3_result_int64(context, Int64(text.characters(before: place)) + 1)
    }

    private static let replace: Body = { context, _, values in
        guard let values, let text = Text(values[0]), let part = Text(values[1]), let other = Text(values[2]) else {
            return
        }
        guard part.count > 0 else { return sqlite3_result_value(context, values[0]) }
        let limit = Int(sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1))
        guard QueryBudget.allows(text.count, perStep: QueryBudget.searchedPerStep) else {
            return sqlite3_result_error_code(context, SQLITE_INTERRUPT)
        }
        var (new, from): ([UInt8], Int) = ([], 0)
        while let place = text.place(of: part, from: from) {
            new += text.bytes[from..<place]
            new += other.bytes
            from = place + part.count
            guard new.count <= limit else { return sqlite3_result_error_toobig(context) }
        }
        guard from > 0 else { return sqlite3_result_value(context, values[0]) }
        new += text.bytes[from...]
        guard new.count <= limit, QueryBudget.allows(new.count, perStep: QueryBudget.searchedPerStep) else {
            return sqlite3_result_error_toobig(context)
        }
        // SQLITE_TRANSIENT, a macro that Swift does not import, makes SQLite copy the string.
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        new.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                sqlite3_result_text(context, $0.baseAddress, Int32($0.count), copied)
            }
        }
    }

    /// A string argument, whose memory SQLite owns while the function runs.
    private struct Text {
        let bytes: UnsafeBufferPointer<UInt8>

        var count: Int { bytes.count }

        init?(_ value: OpaquePointer?) {
            guard sqlite3_value_type(value) != SQLITE_NULL else { return nil }
            // The text must be requested first, because the byte count depends on the requested encoding.
            let start = sqlite3_value_text(value)
            bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
        }

        /// Returns the byte offset of the first occurrence of `part` at or after `start`, or `nil` if there is none.
        func place(of part: Text, from start: Int) -> Int? {
            guard part.count > 0 else { return start }
            guard count - start >= part.count, let base = bytes.baseAddress else { return nil }
            return clinux_find(base + start, count - start, part.bytes.baseAddress, part.count).map {
                UnsafeRawPointer($0) - UnsafeRawPointer(base)
            }
        }

        /// Returns the number of code points before a byte offset.
        func characters(before place: Int) -> Int {
            bytes[..<place].reduce(0) { $0 + ($1 & 0xC0 != 0x80 ? 1 : 0) }
        }
    }
}
