import DurableSQLite
import GRDB
import Moments
import Storage

/// The one whose share of all waiting requests a new one takes.
public enum RequestShare: Hashable, Sendable {
    /// The place that it came from: anybody may name a public client.
    case origin
    /// The client, which has proved who it is; all its people come from its own place.
    case client
}

/// The bounds of a table of requests that wait, each until its time ends.
struct RequestBounds {
    let table: String
    /// The greatest number of all.
    let all: Int
    /// The greatest number of one origin.
    let perOrigin: Int
    /// The greatest number of one client that has proved who it is.
    let perClient: Int

    /// Refuses one request more than there may be, with the time after which the first has ended.
    func require(
        _ db: Database,
        _ share: RequestShare,
        origin: String,
        client: String,
        at now: Moment
    ) throws {
        try require(db, "", most: all, ["now": now.wall], at: now)
        switch share {
        case .origin: try require(db, "origin = :own AND", most: perOrigin, ["own": origin, "now": now.wall], at: now)
        case .client: try require(db, "client = :own AND", most: perClient, ["own": client, "now": now.wall], at: now)
        }
    }

    private func require(
        _ db: Database,
        _ condition: String,
        most: Int,
        _ arguments: StatementArguments,
        at now: Moment
    ) throws {
        let row = try db.row(
            """
            SELECT count(*) AS count, coalesce(min(expires_wall), 0) AS first FROM \(table)
            WHERE \(condition) expires_wall > :now
            """,
            arguments
        )
        guard let row, try row.get("count") >= most else { return }
        let left = max(1, try row.get("first") - now.wall)
        throw StoreError(.limitExceeded, "too many rows of \(table) wait", retryAfterMs: left)
    }
}
