import FlowModel
import Moments
import StoreRefusals
import TokenCache

/// A source of tokens for one request: the local authority or an external authority.
protocol TokenSource: Sendable {
    var wanted: WantedToken { get }

    /// Whether a cached token can be returned.
    ///
    /// `false` if the token does not record which checks were passed.
    var servesFromCache: Bool { get }

    /// Returns the rows in `rows` whose tokens can still be used.
    func usable(_ rows: [TokenRow], of account: AccountRow) async throws -> [TokenRow]

    /// Renews the account's token family and returns a token for the request, or `nil` if the user must be prompted.
    func renewed(_ account: AccountRow) async throws -> TokenRow?

    /// Renews a token ahead of time if necessary, without making the caller wait.
    ///
    /// - Returns: How many milliseconds before the token's expiry to call this again, or 0 if the token is not renewed
    ///   ahead of time.
    func renewAhead(_ row: TokenRow, _ account: AccountRow) async -> Int64

    /// Records that a token is returned to a caller.
    ///
    /// - Returns: The record of uses, or `nil` if the token is not renewed ahead of time.
    func used(_ row: TokenRow) -> TokenUseRecord?

    /// Returns a token for an existing session, or a flow that the user must complete first.
    ///
    /// `signOuts` is the generation of the uid's most recent sign-out, read before an account was selected.
    ///
    /// - Throws: `interaction_required` if the user must not be prompted.
    func fresh(_ choice: AccountSelection.Choice, signOuts: Int64) async throws -> FreshAnswer
}

/// A source's answer to a request that no cached token can satisfy.
enum FreshAnswer: Sendable {
    case token(TokenRow)
    /// A flow that the user must complete first. `joined` is `true` if another request started it.
    case flow(Flow, joined: Bool)
}

/// The error that ends a renewal before it sends a request, if another renewal has already stored a newer token.
struct RenewedMeanwhile: Error {
    let row: TokenRow
}

extension TokenSource {
    /// The maximum number of other callers' renewals that a request waits for.
    static var mostShares: Int { 64 }

    /// The error thrown if a request still has no suitable token after waiting for ``mostShares`` renewals.
    static var tooMany: Refusal {
        Refusal(.limitExceeded, Text("refusal.tooManyTokensOfAccount"))
            .retrying(afterMs: 1_000)
    }
}

/// A request that waits for a token from an external authority, possibly together with other callers.
struct WaitingRequest {
    let desk: TokenDesk
    let request: AcquireRequest
    let wanted: WantedToken
    /// When the caller's request arrived.
    let began: Moment

    /// Returns a matching token that has been stored since the caller read the cache, or `nil` if there is none.
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

    /// Whether a token that another caller's request returned also satisfies this request.
    ///
    /// A forced renewal requires a token issued after this request arrived.
    func isServed(by row: TokenRow) -> Bool {
        let isNewer = !request.forceRefresh || (row.receivedAt ?? 0) >= began.wall
        return isNewer && wanted.isMet(by: row, at: desk.clock.now)
    }
}
