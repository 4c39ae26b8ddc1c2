import FlowModel
import Moments
import StoreRefusals
import TokenCache

/// A source of tokens for one request: the local authority or an external authority.
protocol TokenSource: Sendable {
    var wanted: WantedToken { get }

    /// Whether cached tokens can satisfy the request.
    ///
    /// The value is `false` for a step-up policy, because a cached token does not record which checks the user passed.
    var servesFromCache: Bool { get }

    func usable(_ rows: [TokenRow], of account: AccountRow) async throws -> [TokenRow]

    /// Renews the account's tokens and returns a token for the request, or `nil` if no renewal can satisfy the request.
    func renewed(_ account: AccountRow) async throws -> TokenRow?

    /// Starts to renew a token ahead of time if necessary, without making the caller wait.
    ///
    /// - Returns: How many milliseconds before the token's expiry this method must be called again, or 0 if the token
    ///   is not renewed early.
    func renewAhead(_ row: TokenRow, _ account: AccountRow) async -> Int64

    /// Records that a token is returned, and returns the record, or `nil` if this source does not record uses.
    func used(_ row: TokenRow) -> TokenUseRecord?

    /// Returns a newly issued token, or a flow that the user must complete first.
    ///
    /// `signOuts` is the generation of the uid's latest sign-out, which the caller reads before it selects an account.
    ///
    /// - Throws: `interaction_required` if the user must be prompted but the request does not allow a prompt.
    func fresh(_ choice: AccountSelection.Choice, signOuts: Int64) async throws -> FreshAnswer
}

/// A source's answer to a request that no cached token can satisfy.
enum FreshAnswer: Sendable {
    case token(TokenRow)
    /// A flow that the user must complete first, where `joined` is `true` if another request started the flow.
    case flow(Flow, joined: Bool)
}

/// The error that ends a renewal before a request is sent, because another renewal has already stored a newer token.
struct RenewedMeanwhile: Error {
    let row: TokenRow
}

extension TokenSource {
    /// The maximum number of renewals, including those that other callers have started, that one request waits for.
    static var mostShares: Int { 64 }

    /// The error that is thrown if ``mostShares`` renewals have produced no suitable token for a request.
    static var tooMany: Refusal {
        Refusal(.limitExceeded, Text("refusal.tooManyTokensOfAccount"))
            .retrying(afterMs: 1_000)
    }
}

/// A request that waits for an external authority's token, possibly together with requests from other callers.
struct WaitingRequest {
    let desk: TokenDesk
    let request: AcquireRequest
    let wanted: WantedToken
    /// When the caller's request arrived.
    let began: Moment

    /// Searches the cache for a token stored since the first search, or returns `nil` if the request forces a renewal.
    func foundMeanwhile(_ query: TokenQuery) async throws -> TokenRow? {
        guard !request.forceRefresh else { return nil }
        let rows = try await Broker.rows.storing { try desk.cache.tokens.find(query) }
        let now = desk.clock.now
        return wanted.best(
            of: rows.filter { wanted.isMet(by: $0, at: now) },
            validity: request.minValidityMs ?? Broker.defaultValidityMs,
            at: now
        )
    }

    /// Whether a token that was issued for another caller's request also satisfies this request.
    ///
    /// If this request forces a renewal, the token must have been received after this request arrived.
    func isServed(by row: TokenRow) -> Bool {
        let isNewer = !request.forceRefresh || (row.receivedAt ?? 0) >= began.wall
        return isNewer && wanted.isMet(by: row, at: desk.clock.now)
    }
}
