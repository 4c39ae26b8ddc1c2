import Foundation
import Synchronization

/// Runs `body` in `count` parallel threads, and returns its results in the order of their indexes.
///
/// `body` may block.
public func inThreads<R: Sendable>(_ count: Int, _ body: @escaping @Sendable (Int) -> R) -> [R] {
    let results = Mutex<[Int: R]>([:])
    let group = DispatchGroup()
    for index in 0..<count {
        group.enter()
        let thread = Thread {
            let result = body(index)
            results.withLock { $0[index] = result }
            group.leave()
        }
        thread.stackSize = 1 << 20
        thread.start()
    }
    group.wait()
    return results.withLock { all in (0..<count).compactMap { all[$0] } }
}
