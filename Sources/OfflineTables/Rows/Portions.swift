import Foundation
import Synchronization

/// Work on many rows, done on every processor.
enum Portions {
    /// Rows that one thread works on at a time: some milliseconds.
    private static let size = 1024

    /// Turns rows into others, a part at a time; the order stays.
    static func map<Row: Sendable, Value: Sendable>(
        _ rows: [Row],
        _ body: @Sendable (ArraySlice<Row>) throws -> [Value]
    ) throws -> [Value] {
        guard rows.count > size else { return try body(rows[...]) }
        let starts = Array(stride(from: 0, to: rows.count, by: size))
        let parts = Mutex<[Int: Result<[Value], any Error>]>([:])
        DispatchQueue.concurrentPerform(iterations: starts.count) { number in
            let part = rows[starts[number]..<min(starts[number] + size, rows.count)]
            let done = Result { try body(part) }
            parts.withLock { $0[number] = done }
        }
        let all = parts.withLock { $0 }
        var whole: [Value] = []
        whole.reserveCapacity(rows.count)
        for number in starts.indices { try all[number].map { whole += try $0.get() } }
        return whole
    }
}
