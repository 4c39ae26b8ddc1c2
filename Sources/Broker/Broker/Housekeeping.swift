import Authority
import Flows
import Logging
import TokenCache

extension Broker {
    /// The greatest number of rows of each kind that one transaction deletes.
    static let sweepLimit = 1_000
    /// The greatest number of transactions in one round.
    static let sweepBatches = 50

    /// Compares the copies of keys, clients and users with the store.
    ///
    /// It is called every few seconds, so that no request waits for it and no change of another daemon stays unseen for
    /// longer than five.
    public func refresh() async {
        do {
            shared.sawEpoch(try await authority.refreshed())
        } catch {
            logger.warning("the authority could not be compared", metadata: ["error": "\(error)"])
        }
        watch.lookAtAll()
    }

    /// Runs the recurring work; failures are logged and tried again in the next round.
    public func housekeeping() async {
        await refresh()
        await finishSignOuts()
        await authority.housekeeping()
        do {
            try await flows.sweep()
        } catch {
            logger.warning("housekeeping failed", metadata: ["of": "flows", "error": "\(error)"])
        }
        do {
            let uses = accountUses.take().map { AccountUse(uid: $0.key.uid, account: $0.key.account, at: $0.value) }
            try await cache.accounts.noteUses(uses)
            for _ in 0..<Self.sweepBatches {
                guard try await cache.sweep(limit: Self.sweepLimit) >= Self.sweepLimit else { break }
            }
        } catch {
            logger.warning("housekeeping failed", metadata: ["of": "cache", "error": "\(error)"])
        }
    }
}
