import FlowModel
import Moments
import StoreRefusals
import TokenCache

/// A request that waits for a token of an outside authority, which is asked for once for all who want the same.
struct WaitingRequest {
    let broker: Broker
    let request: AcquireRequest
    let wanted: WantedToken
    /// The time at which the caller came.
    let began: Moment

    /// The token that came since the caller looked into the cache in vain; nil if there is none.
    func foundMeanwhile(_ query: TokenQuery) async throws -> TokenRow? {
        guard !request.forceRefresh else { return nil }
        let rows = try await Broker.rows.storing { try broker.cache.tokens.find(query) }
        let now = broker.clock.now
        return wanted.best(
            of: rows.filter { wanted.isMet(by: $0, at: now) },
            validity: request.minValidityMs ?? Broker.defaultValidityMs,
            at: now
        )
    }

    /// True for a token that somebody else's work has brought and that serves this request, too.
    ///
    /// A forced renewal gives a newer token than was there, also where its work is shared with somebody's who forces none.
    func isServed(by row: TokenRow) -> Bool {
        let isNewer = !request.forceRefresh || (row.receivedAt ?? 0) >= began.wall
        return isNewer && wanted.isMet(by: row, at: broker.clock.now)
    }
}
