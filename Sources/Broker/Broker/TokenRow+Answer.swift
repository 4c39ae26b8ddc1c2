import Authority
import FlowModel
import Foundation
import Moments
import OAuth
import Policies
import TokenCache

extension TokenRow {
    /// Creates a cache row for issued tokens.
    init(_ issued: IssuedTokens, uid: UInt32, account: String) {
        self.init(
            uid: uid,
            account: account,
            client: issued.client,
            authority: Broker.localAuthority,
            policy: issued.policy.description,
            resource: issued.audience,
            scopes: issued.scopes,
            accessToken: issued.accessToken,
            idToken: issued.idToken,
            expires: issued.expires,
            expiresAt: issued.expiresAt,
            acr: issued.acr,
            amr: issued.amr,
            authTime: issued.authTime,
            claims: Data(issued.claims.bytes),
            username: issued.user.username
        )
    }

    /// The claims in the ID token, as a JSON object.
    var claimValues: JSONValue { (try? StrictJSON.parse(claims)) ?? .object([:]) }

    /// When the token was issued, in milliseconds since 1970 UTC, or `nil` if that is unknown.
    ///
    /// For local tokens, it is precise to the second.
    var issuedAt: Int64? { receivedAt ?? claimValues["iat"]?.int.map { $0 * 1000 } }
}

extension AcquiredToken {
    /// Creates a response that contains a cached token.
    init(_ row: TokenRow, correlationID: CorrelationID, fromCache: Bool) {
        self.init(
            accessToken: row.accessToken,
            expiresAt: row.expiresAt,
            scopes: row.scopes,
            account: row.account,
            username: row.username,
            acr: row.acr,
            amr: row.amr,
            authTime: row.authTime,
            claims: row.claimValues,
            policy: row.policy,
            correlationID: correlationID.description,
            fromCache: fromCache,
            cached: row.isKept
        )
    }
}

extension TokenSummary {
    /// Creates a summary of a cached token.
    init(_ row: TokenRow) {
        self.init(
            account: row.account,
            username: row.username,
            client: row.client,
            authority: row.authority,
            policy: row.policy,
            resource: row.resource,
            scopes: row.scopes,
            expiresAt: row.expiresAt,
            acr: row.acr,
            amr: row.amr,
            authTime: row.authTime
        )
    }
}

extension Deadline {
    /// Returns the time until the deadline on the clock that reaches it first, in milliseconds.
    ///
    /// 0 if the deadline has passed.
    func left(at now: Moment) -> Int64 {
        if hasEnded(at: now) { return 0 }
        return min(wall - now.wall, bootID == now.bootID ? boot - now.boot : .max)
    }

    /// Returns a deadline that is `milliseconds` earlier on both clocks.
    func earlier(by milliseconds: Int64) -> Deadline {
        let (wall, isOver) = wall.subtractingReportingOverflow(milliseconds)
        return Deadline(wall: isOver ? .min : wall, boot: isOver ? .min : boot - milliseconds, bootID: bootID)
    }
}
