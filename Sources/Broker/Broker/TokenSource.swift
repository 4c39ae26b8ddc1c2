import FlowModel
import Moments
import StoreRefusals
import TokenCache

/// A source of tokens for one request: the local authority, an external authority that signs users in, or one that
/// issues tokens without a user.
///
/// The rule for using cached tokens, ``WantedToken``, is the same for all sources. Sources do not revoke tokens.
/// Revocation is part of a sign-out, which concerns accounts and not a request, and which reads the tokens to revoke
/// before it empties the cache (``OutsideSignOut``).
protocol TokenSource: Sendable {
    /// The token that the request needs.
    var wanted: WantedToken { get }

    /// Whether a cached token can be returned.
    ///
    /// `false` if the token does not record which checks were passed.
    var servesFromCache: Bool { get }

    /// Returns those of the tokens that can still be used.
    func usable(_ rows: [TokenRow], of account: AccountRow) async throws -> [TokenRow]

    /// Renews the account's refresh-token family.
    ///
    /// - Returns: A token that satisfies the request, or `nil` if the user must be prompted.
    func renewed(_ account: AccountRow) async throws -> TokenRow?

    /// Renews a token ahead of time if necessary, without making the caller wait.
    ///
    /// - Parameters:
    ///   - row: A cached token that is returned to a caller.
    ///   - account: The account of the token.
    /// - Returns: How many milliseconds before the token's expiry to call this again; 0 if it is not renewed ahead of
    ///   time.
    func renewAhead(_ row: TokenRow, _ account: AccountRow) async -> Int64

    /// Records that a token is returned to a caller.
    ///
    /// - Returns: The record of uses, for reusing the response, or `nil` if the token is not renewed ahead of time.
    func used(_ row: TokenRow) -> TokenUseRecord?

    /// Returns a token for an existing session, or a flow that the user must complete first.
    ///
    /// - Parameters:
    ///   - choice: The account, and the user that a flow requires.
    ///   - signOuts: The generation of the uid's most recent sign-out, read before any decision was made.
    /// - Returns: The token or the flow.
    /// - Throws: `interaction_required` if the user must not be prompted.
    func fresh(_ choice: AccountSelection.Choice, signOuts: Int64) async throws -> FreshAnswer
}

/// A source's answer to a request that no cached token can satisfy.
enum FreshAnswer: Sendable {
    /// A token for an existing session.
    case token(TokenRow)
    /// A flow that the user must complete first.
    ///
    /// `joined` is `true` if another request started it.
    case flow(Flow, joined: Bool)
}

/// Thrown to end a renewal without a request to the authority, because another renewal was completed after the caller's
/// request arrived.
struct RenewedMeanwhile: Error {
    let row: TokenRow
}

extension TokenSource {
    /// The maximum number of shared grants that a request waits for, if none of them satisfies it.
    static var mostShares: Int { 64 }

    /// The refusal if other callers keep renewing the same account for different tokens.
    static var tooMany: Refusal {
        Refusal(.limitExceeded, Text("refusal.tooManyTokensOfAccount"))
            .retrying(afterMs: 1_000)
    }
}

/// A request that waits for a token from an external authority.
///
/// One request is sent for all callers that need the same token.
struct WaitingRequest {
    let desk: TokenDesk
    let request: AcquireRequest
    let wanted: WantedToken
    /// When the caller's request arrived.
    let began: Moment

    /// Returns a matching token that was stored since the caller read the cache, or `nil` if there is none.
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
    /// A forced renewal requires a token issued after this request arrived, even if the request is shared with callers
    /// that do not force a renewal.
    func isServed(by row: TokenRow) -> Bool {
        let isNewer = !request.forceRefresh || (row.receivedAt ?? 0) >= began.wall
        return isNewer && wanted.isMet(by: row, at: desk.clock.now)
    }
}
