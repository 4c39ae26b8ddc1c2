import DurableSQLite
import GRDB
import Moments
public import Origins
import Storage

/// The one whose share of all waiting requests a new one takes.
public enum RequestShare: Hashable, Sendable {
    /// The origin that it came from: every caller may name a public client.
    case origin(OriginLevels)
    /// The client, which is authenticated; the requests of all its users come from its own origin.
    case client
}

/// The bounds of a table of requests that wait, each until its time ends.
struct RequestBounds {
    /// The rows, which all origins share.
    let rows: SharedRows
    /// The greatest number of one origin; an authenticated client has as many as one level of an origin.
    let perOrigin: Int

    /// The bounds of a table.
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

    /// Makes room for one request more, and refuses one more than there may be, with the time after which the first has
    /// ended.
    ///
    /// - Returns: The place of the new row.
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
