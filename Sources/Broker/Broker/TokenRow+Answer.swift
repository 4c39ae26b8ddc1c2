import Authority
import FlowModel
import Foundation
import Moments
import OAuth
import Policies
import TokenCache

extension TokenRow {
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

    var claimValues: JSONValue { (try? StrictJSON.parse(claims)) ?? .object([:]) }

    /// When the token was issued, in milliseconds since 1970 UTC, or `nil` if unknown.
    ///
    /// For local tokens, the time is a whole number of seconds.
    var issuedAt: Int64? { receivedAt ?? claimValues["iat"]?.int.map { $0 * 1000 } }
}

extension AcquiredToken {
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
    /// Returns the number of milliseconds until one of the two clocks reaches the deadline, or 0 if one already has.
    func left(at now: Moment) -> Int64 {
        if hasEnded(at: now) { return 0 }
        return min(wall - now.wall, bootID == now.bootID ? boot - now.boot : .max)
    }

    func earlier(by milliseconds: Int64) -> Deadline {
        let (wall, isOver) = wall.subtractingReportingOverflow(milliseconds)
        return Deadline(wall: isOver ? .min : wall, boot: isOver ? .min : boot - milliseconds, bootID: bootID)
    }
}
