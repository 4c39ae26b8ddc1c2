import Broker
import CustomIdentity
import Deliveries
import OpenIDClient
import ServiceLifecycle

extension PendingParts {
    /// Services that work in the background from the start to the end.
    var backgroundServices: [any Service] {
        [
            // What waits at the end is sent after the next start, but for the mails that were acknowledged last.
            BackgroundService("mail") {
                let dispatcher = try await value.mails
                await cancelWhenGracefulShutdown { await dispatcher.run() }
                await dispatcher.deliverLast()
            },
            BackgroundService("sign-outs") {
                let dispatcher = try await value.logouts
                await cancelWhenGracefulShutdown { await dispatcher.run() }
            },
            BackgroundService("providers") {
                let client = try await value.openID
                try? await gracefulShutdown()
                try await client.shutdown()
            },
            BackgroundService("realms") {
                let calls = try await value.outside
                try? await gracefulShutdown()
                try await calls.shutdown()
            },
            BackgroundService("housekeeping") {
                let broker = try await value.broker
                try await Housekeeping { await broker.housekeeping() }.run()
            },
            BackgroundService("renewals") {
                let broker = try await value.broker
                try await Housekeeping(every: Housekeeping.renewals, overlaps: true) { await broker.tokens.renewUsed() }
                    .run()
            },
            BackgroundService("settling") {
                let stores = try await value.stores
                try await Housekeeping(every: Housekeeping.settling) { await stores.settle() }.run()
            },
            BackgroundService("comparison") {
                let broker = try await value.broker
                try await Housekeeping(every: Housekeeping.comparison) { await broker.refresh() }.run()
            },
        ]
    }
}

/// A service of parts that may still be assembled when its group starts it.
struct BackgroundService: Service, CustomStringConvertible {
    /// The name in the log.
    let description: String
    private let work: @Sendable () async throws -> Void

    init(_ description: String, _ work: @escaping @Sendable () async throws -> Void) {
        self.description = description
        self.work = work
    }

    func run() async throws { try await work() }
}
