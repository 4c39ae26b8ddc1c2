import Flows
import ServiceLifecycle

/// Does again and again what is due: expiry, the keys' schedule, retention, what a sign-out left over.
struct Housekeeping: Service {
    /// How often.
    static let interval = Duration.seconds(30)

    private let work: @Sendable () async -> Void

    init(_ work: @escaping @Sendable () async -> Void) {
        self.work = work
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await Task.sleep(for: Self.interval)
                if !Task.isCancelled { await work() }
            }
        }
    }
}

/// Delivers mail as long as the daemon runs, and what was acknowledged last before it ends.
struct MailService: Service {
    let dispatcher: MailDispatcher

    func run() async throws {
        await cancelWhenGracefulShutdown { await dispatcher.run() }
        await dispatcher.deliverDue()
    }
}
