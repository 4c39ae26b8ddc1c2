import DurableSQLite
import GRDB
import Moments
public import Origins
import Storage

/// The origin or client that a new waiting request is attributed to.
public enum RequestShare: Hashable, Sendable {
    /// The origin of the request, used for public clients because any caller can use a public `client_id`.
    case origin(OriginLevels)
    /// The client of the request, used for authenticated clients because one origin sends all users' requests.
    case client
}

struct RequestBounds {
    let rows: SharedRows
    /// The maximum number of waiting requests per origin, except for authenticated clients.
    let perOrigin: Int

    init(table: String, all: Int, perOrigin: Int, isUnanswered: String) {
        rows = SharedRows(
            table: table,
            key: "hash",
            total: SharedTotal(most: all),
            isLive: "expires_wall > :wall",
            isUnanswered: isUnanswered
        )
        self.perOrigin = perOrigin
    }

    /// Makes space for one more request, if necessary by deleting an unanswered request.
    ///
    /// - Throws: `limitExceeded` with the time until the first request expires.
    func admit(
        _ db: Database,
        _ share: RequestShare,
        client: String,
        _ core: Core,
        at now: Moment
    ) throws -> SharedRows.Place {
        let place: SharedRows.Place
        let most: Int
        switch share {
        case .origin(let origin): (place, most) = (try SharedRows.Place(db, origin, core, at: now), perOrigin)
        case .client: (place, most) = (SharedRows.Place(client: client, core), rows.total.mostOfLevel)
        }
        guard try rows.count(db, of: place, at: now) < most else { throw try refusal(db, at: now) }
        switch try rows.admission(db, place, at: now) {
        case .admitted: break
        case .replacing(let hash): try db.run("DELETE FROM \(rows.table) WHERE hash = :hash", ["hash": hash])
        case .refused: throw try refusal(db, at: now)
        }
        return place
    }

    private func refusal(_ db: Database, at now: Moment) throws -> StoreError {
        StoreError(
            .limitExceeded,
            "too many rows of \(rows.table) wait",
            retryAfterMs: try rows.firstEnd(db, at: now)
        )
    }
}
