import Broker
import ServiceLifecycle

extension PendingParts {
    /// Services that work in the background from the start to the end.
    var backgroundServices: [any Service] {
        [
            WaitingService("mail") { MailService(dispatcher: try await value.mails) },
            WaitingService("sign-outs") { LogoutService(dispatcher: try await value.logouts) },
            WaitingService("providers") { ProviderService(client: try await value.openID) },
            WaitingService("realms") { RealmService(calls: try await value.outside) },
            WaitingService("housekeeping") {
                let broker = try await value.broker
                return Housekeeping { await broker.housekeeping() }
            },
            WaitingService("renewals") {
                let broker = try await value.broker
                return Housekeeping(every: Housekeeping.renewals, overlaps: true) { await broker.tokens.renewUsed() }
            },
            WaitingService("settling") {
                let stores = try await value.stores
                return Housekeeping(every: Housekeeping.settling) { await stores.settle() }
            },
            WaitingService("comparison") {
                let broker = try await value.broker
                return Housekeeping(every: Housekeeping.comparison) { await broker.refresh() }
            },
        ]
    }
}
