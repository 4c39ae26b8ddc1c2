import FlowModel
import Moments
import StoreRefusals
import TokenCache

/// A source of tokens for one request: our own authority, one outside, or one outside that grants them to services.
///
/// The rule of the cache, ``WantedToken``, is the same for all. None revokes: that is a sign-out's part, which is about
/// accounts instead of a request, and reads what there is to revoke before it empties the cache (``OutsideSignOut``).
protocol TokenSource: Sendable {
    /// The token that is asked for.
    var wanted: WantedToken { get }

    /// False if the token at hand does not say enough of what was proved.
    var servesFromCache: Bool { get }

    /// Leaves out the tokens that may not be given out any more.
    func usable(_ rows: [TokenRow], of account: AccountRow) async throws -> [TokenRow]

    /// Renews the family of an account.
    ///
    /// - Returns: A token that meets what is wanted; nil if there is none without the person.
    func renewed(_ account: AccountRow) async throws -> TokenRow?

    /// Sees to it that a token is renewed before it ends, without letting anybody wait.
    ///
    /// - Parameters:
    ///   - row: A token that is given out from the cache.
    ///   - account: Its account.
    /// - Returns: The milliseconds before its end from which on this must be asked again; 0 if it is not renewed ahead.
    func renewAhead(_ row: TokenRow, _ account: AccountRow) async -> Int64

    /// Records that a token is given to a caller.
    ///
    /// - Returns: The record, for answers that are repeated; nil if it is not renewed ahead.
    func used(_ row: TokenRow) -> TokenUseRecord?

    /// Returns the token of a session, or the flow that a person must complete first.
    ///
    /// - Parameters:
    ///   - choice: The account.
    ///   - signOuts: The uid's sign-outs before anything was decided.
    /// - Returns: The token, or the flow.
    /// - Throws: `interaction_required` if nobody may be asked.
    func fresh(_ choice: AccountSelection.Choice, signOuts: Int64) async throws -> FreshAnswer
}

/// The answer of a source that had nothing at hand.
enum FreshAnswer: Sendable {
    /// A token.
    case token(TokenRow)
    /// A flow that must be completed first.
    case flow(Flow, joined: Bool)
}

/// The end of a renewal that asks nobody: its caller came before the last one had ended.
struct RenewedMeanwhile: Error {
    let row: TokenRow
}

extension TokenSource {
    /// The greatest number of shared grants that a request waits for, if they do not meet it.
    static var mostShares: Int { 64 }

    /// The refusal of a request whose account others renew again and again for something else.
    static var tooMany: Refusal {
        Refusal(.limitExceeded, Text("refusal.tooManyTokensOfAccount"))
            .retrying(afterMs: 1_000)
    }
}

/// A request that waits for a token of an outside authority, which is asked for once for all who want the same.
struct WaitingRequest {
    let desk: TokenDesk
    let request: AcquireRequest
    let wanted: WantedToken
    /// The time at which the caller came.
    let began: Moment

    /// The token that came since the caller looked into the cache in vain; nil if there is none.
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

    /// True for a token that somebody else's work has brought and that serves this request, too.
    ///
    /// A forced renewal gives a newer token than was there, also where its work is shared with somebody's who forces none.
    func isServed(by row: TokenRow) -> Bool {
        let isNewer = !request.forceRefresh || (row.receivedAt ?? 0) >= began.wall
        return isNewer && wanted.isMet(by: row, at: desk.clock.now)
    }
}
