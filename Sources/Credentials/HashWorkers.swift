import NIOPosix
import Synchronization

/// The threads that hash, and the bound of how many calls may be under way or wait.
///
/// They end when the last user of this object is gone.
final class HashWorkers: Sendable {
    private struct Load {
        var underWay = 0
        var begun = 0
    }

    private let threads: NIOThreadPool
    private let load = Mutex(Load())
    private let most: Int

    init(jobs: Int, queue: Int) {
        threads = NIOThreadPool(numberOfThreads: max(1, jobs))
        most = max(1, jobs) + max(0, queue)
        threads.start()
    }

    deinit {
        threads.shutdownGracefully { _ in }
    }

    var computations: Int { load.withLock { $0.begun } }

    /// Runs `work` on one of the threads, or throws `busy` without waiting if too many wait.
    func run<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        let admitted = load.withLock { load in
            guard load.underWay < most else { return false }
            load.underWay += 1
            load.begun += 1
            return true
        }
        guard admitted else { throw CredentialError.busy }
        defer { load.withLock { $0.underWay -= 1 } }
        return try await threads.runIfActive(work)
    }
}
