import Foundation
import NIOPosix
import Synchronization

/// The threads that compute hashes, with a limit on the number of computations that run or wait.
///
/// Their priority is low, because one hash takes as much processor time as thousands of responses.
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

    var underWay: Int { load.withLock { $0.underWay } }

    /// The number of equal shares of the queue, of which one origin can use only one.
    private static let originsThatFit = 4

    /// Reserves a slot, or throws `busy` if `origin` alone or all callers together have reserved too many slots.
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

    func run<T: Sendable>(in place: HashPlace, _ work: @escaping @Sendable () throws -> T) async throws -> T {
        guard place.isHeld else { throw CredentialError.busy }
        defer { place.release() }
        load.withLock { $0.begun += 1 }
        return try await threads.runIfActive {
            Self.giveWay()
            return try work()
        }
    }

    /// The niceness of the threads, with which they get about a quarter of the time of a busy processor.
    static let niceness: Int32 = 6

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
