import Broker
import CustomIdentity
import Deliveries
import OpenIDClient
import ServiceHost
import ServiceLifecycle

extension PendingParts {
    var backgroundServices: [any Service] {
        [
            // At shutdown, pending mail is written to a configured folder, but is not sent to a mail server.
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
                await BackgroundService.repeating(every: Housekeeping.interval) { await broker.housekeeping() }
            },
            BackgroundService("renewals") {
                let broker = try await value.broker
                await BackgroundService.repeating(every: Housekeeping.renewals, overlaps: true) {
                    await broker.tokens.renewUsed()
                }
            },
            BackgroundService("settling") {
                let stores = try await value.stores
                await BackgroundService.repeating(every: Housekeeping.settling) { await stores.settle() }
            },
            BackgroundService("comparison") {
                let broker = try await value.broker
                await BackgroundService.repeating(every: Housekeeping.comparison) { await broker.refresh() }
            },
        ]
    }
}
