import Foundation
import Synchronization

/// Converts many rows in parallel on all processors, while other rows are still being read.
final class ParallelBatches<Row: Sendable, Value: Sendable>: Sendable {
    /// The number of rows in one batch, enough for a few milliseconds of work.
    static var size: Int { 1024 }

    private struct State {
        var waiting: [(number: Int, rows: [Row])] = []
        var count = 0
        var done: [Int: Result<[Value], any Error>] = [:]
    }

    private let work: @Sendable ([Row]) throws -> [Value]
    private let state = Mutex(State())
    private let threads = DispatchGroup()

    init(_ work: @escaping @Sendable ([Row]) throws -> [Value]) {
        self.work = work
    }

    func add(_ rows: [Row]) {
        state.withLock { state in
            state.waiting.append((state.count, rows))
            state.count += 1
        }
        DispatchQueue.global().async(group: threads) { _ = self.workOnNext() }
    }

    func values(endingWith last: [Row]) throws -> [Value] {
        let end = Result { try work(last) }
        // This thread converts the batches that no other thread has started.
        while workOnNext() {}
        threads.wait()
        let (count, done) = state.withLock { ($0.count, $0.done) }
        var values: [Value] = []
        for number in 0..<count { values += try done[number]?.get() ?? [] }
        return try values + end.get()
    }

    /// Converts the oldest waiting batch, or returns `false` if no batch is waiting.
    private func workOnNext() -> Bool {
        let next = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
        guard let next else { return false }
        let done = Result { try work(next.rows) }
        state.withLock { $0.done[next.number] = done }
        return true
    }
}
