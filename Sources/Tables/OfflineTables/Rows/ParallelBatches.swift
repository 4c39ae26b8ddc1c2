import Foundation
import Synchronization

/// Work on many rows, done on every processor while the rest of them are still read.
final class ParallelBatches<Row: Sendable, Value: Sendable>: Sendable {
    /// Rows that one thread works on at a time: some milliseconds.
    static var size: Int { 1024 }

    private struct State {
        var waiting: [(number: Int, rows: [Row])] = []
        var count = 0
        var done: [Int: Result<[Value], any Error>] = [:]
    }

    private let work: @Sendable ([Row]) throws -> [Value]
    private let state = Mutex(State())
    private let threads = DispatchGroup()

    /// - Parameter work: Turns rows into others, on several threads at once.
    init(_ work: @escaping @Sendable ([Row]) throws -> [Value]) {
        self.work = work
    }

    /// Adds rows, which another thread works on.
    func add(_ rows: [Row]) {
        state.withLock { state in
            state.waiting.append((state.count, rows))
            state.count += 1
        }
        DispatchQueue.global().async(group: threads) { _ = self.workOnNext() }
    }

    /// The values of all rows in their order, the last ones among them.
    ///
    /// - Throws: What the work throws.
    func values(endingWith last: [Row]) throws -> [Value] {
        let end = Result { try work(last) }
        // This thread helps with what nobody has begun.
        while workOnNext() {}
        threads.wait()
        let (count, done) = state.withLock { ($0.count, $0.done) }
        var values: [Value] = []
        for number in 0..<count { values += try done[number]?.get() ?? [] }
        return try values + end.get()
    }

    /// Works on the rows that have waited longest; false if there are none.
    private func workOnNext() -> Bool {
        let next = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
        guard let next else { return false }
        let done = Result { try work(next.rows) }
        state.withLock { $0.done[next.number] = done }
        return true
    }
}
