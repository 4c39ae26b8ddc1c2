import Foundation
import NIOPosix
import Synchronization

/// The threads that hash, and the bound of how many calls may be under way or wait.
///
/// They give way to the threads that answer requests: a hash takes a processor for as long as thousands of answers, and all
/// of them would wait behind a few people who sign in. They end when the last user of this object is gone.
final class HashWorkers: Sendable {
    private struct Load {
        var underWay = 0
        var byOrigin: [String: Int] = [:]
        var begun = 0
    }

    private let threads: NIOThreadPool
    private let load = Mutex(Load())
    let most: Int
    private let mostPerOrigin: Int

    init(jobs: Int, queue: Int) {
        threads = NIOThreadPool(numberOfThreads: max(1, jobs))
        most = max(1, jobs) + max(0, queue)
        mostPerOrigin = max(1, jobs, queue / Self.originsThatFit)
        threads.start()
    }

    deinit {
        threads.shutdownGracefully { _ in }
    }

    var computations: Int { load.withLock { $0.begun } }

    /// Number of computations that run or wait.
    var underWay: Int { load.withLock { $0.underWay } }

    /// Number of origins that it takes to fill the queue.
    private static let originsThatFit = 4

    /// Takes a place, or throws `busy` without waiting if too many are taken, by all or by `origin`.
    func reserve(for origin: String?) throws(CredentialError) -> HashPlace {
        let admitted = load.withLock { load in
            guard load.underWay < most else { return false }
            if let origin {
                guard load.byOrigin[origin, default: 0] < mostPerOrigin else { return false }
                load.byOrigin[origin, default: 0] += 1
            }
            load.underWay += 1
            return true
        }
        guard admitted else { throw .busy }
        return HashPlace { [self] in free(origin) }
    }

    /// Runs `work` on one of the threads, in a place that is free afterwards.
    func run<T: Sendable>(in place: HashPlace, _ work: @escaping @Sendable () throws -> T) async throws -> T {
        guard place.isHeld else { throw CredentialError.busy }
        defer { place.release() }
        load.withLock { $0.begun += 1 }
        return try await threads.runIfActive {
            Self.giveWay()
            return try work()
        }
    }

    /// The niceness of the threads: about a quarter of the time of a processor that somebody else wants, too.
    static let niceness: Int32 = 6

    /// Makes this thread nicer; where that is forbidden, it stays as important as all others.
    private static func giveWay() {
        let thread = __priority_which_t(PRIO_PROCESS.rawValue)
        if getpriority(thread, 0) < niceness { _ = setpriority(thread, 0, niceness) }
    }

    private func free(_ origin: String?) {
        load.withLock { load in
            load.underWay -= 1
            guard let origin, let count = load.byOrigin[origin] else { return }
            load.byOrigin[origin] = count > 1 ? count - 1 : nil
        }
    }
}
